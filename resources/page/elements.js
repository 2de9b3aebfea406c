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

// A number with four significant digits, as in the window: integers below a million in full.
function numberText(value) {
  if (typeof value === "string") return { Infinity: "inf", "-Infinity": "-inf", NaN: "nan" }[value] || value;
  if (Array.isArray(value)) return complexText(value);
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value + 0);
  const exponent = Number(value.toExponential(3).split("e")[1]);
  const digits = exponent < -4 || exponent >= 4 ? value.toExponential(3) : value.toPrecision(4);
  return shortened(digits);
}

// Removes zeros at the end of a fraction, and writes exponents with two digits as Python does.
function shortened(digits) {
  const [mantissa, exponent] = digits.split("e");
  const plain = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  if (exponent === undefined) return plain;
  return `${plain}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function complexText([real, imaginary]) {
  const text = numberText(imaginary);
  return `${numberText(real)}${text.startsWith("-") ? "" : "+"}${text}j`;
}

// A shape as text: 2×3, [6] or "scalar".
function shapeText(shape) {
  if (!shape.length) return word("shape.scalar");
  return shape.length === 1 ? `[${shape[0]}]` : shape.join("×");
}
