// The data of the page, and elements made from it. All text is set as text, never as markup.
"use strict";

const run = JSON.parse(document.getElementById("run").textContent);

// Returns the element of the page with an id.
function part(id) {
  return document.getElementById(id);
}

// Returns a text of the page with its placeholders filled in.
function word(key, values = {}) {
  return run.words[key].replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
}

// Makes an element with a class and children, which are elements or texts.
function make(tag, kind = "", ...children) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...children);
  return element;
}

// A number as Python's number_text writes it: nan, inf, 1.235e+06. What only rounds to an integer keeps its decimals.
function numberText(value, room = 4) {
  if (typeof value === "string") return { Infinity: "inf", "-Infinity": "-inf", NaN: "nan" }[value] || value;
  if (Array.isArray(value)) return complexText(value, room);
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value + 0);
  const short = written(value, room, true);
  if (short.includes(".") || Number(short) === value) return short;
  const long = written(value, room);
  return /\.(e|$)/.test(long) ? written(value, room + 1) : long;
}

// A number as by Python's format "g", or "#g", which keeps zeros at the end.
function written(value, room, shortened = false) {
  const [digits, exponent] = rounded(Math.abs(value), room);
  const plain = exponent >= -4 && exponent < room;
  const whole = plain ? Math.max(exponent, -1) + 1 : 1;
  const padded = plain && exponent < 0 ? "0".repeat(-exponent - 1) + digits : digits;
  const text = `${value < 0 ? "-" : ""}${padded.slice(0, whole) || "0"}.${padded.slice(whole)}`;
  const mantissa = shortened ? text.replace(/\.?0*$/, "") : text;
  if (plain) return mantissa;
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

// The significant digits of a positive number and its exponent. Halves become even, unlike in toExponential.
function rounded(value, room) {
  const [mantissa, exponent] = value.toExponential(room - 1).split("e");
  const digits = mantissa.replace(".", "");
  const exact = value.toExponential(100).split("e")[0].replace(".", "");
  const isHalf = /^50*$/.test(exact.slice(room)) && Number(digits.at(-1)) % 2 === 1;
  return [isHalf ? exact.slice(0, room) : digits, Number(exponent)];
}

function complexText([real, imaginary], room) {
  const text = numberText(imaginary, room);
  return `${numberText(real, room)}${text.startsWith("-") ? "" : "+"}${text}j`;
}

// A shape as text: 2×3, [6] or "scalar".
function shapeText(shape) {
  if (!shape.length) return word("shape.scalar");
  return shape.length === 1 ? `[${shape[0]}]` : shape.join("×");
}
