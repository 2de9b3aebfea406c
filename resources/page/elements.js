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

// Lets the keyboard reach what is larger than its box, so that arrow keys scroll it.
function markScrollable() {
  for (const box of document.querySelectorAll(".scrolls, #guide-page :is(pre, .wide)")) {
    const isLarger = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    box.tabIndex = isLarger ? 0 : -1;
  }
}
