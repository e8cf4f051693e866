"use strict";
// Going through a counterexample step by step. Without this the page shows all of it.
for (const figure of document.querySelectorAll(".picture")) {
  const scroll = figure.querySelector(".scroll"), said = figure.querySelector("output");
  const rows = [...figure.querySelectorAll("li")], steps = rows.filter((row) => row.dataset.step);
  let at = -1; // -1: all of it
  const id = figure.closest("article").id;
  const show = (to) => {
    at = Math.max(-1, Math.min(to, steps.length - 1));
    const now = steps[at];
    let later = false;
    for (const row of rows) {
      row.classList.toggle("now", row === now);
      row.classList.toggle("later", later);
      later = later || row === now;
    }
    said.textContent = now ? (now.className.includes("stuck") ? "at the end: " : now.dataset.at + " of " + figure.dataset.steps + ": ") + now.firstChild.getAttribute("aria-label") : "";
    history.replaceState("", "", "#" + id + (now ? "-step-" + (at + 1) : ""));
    if (now) {
      const top = figure.querySelector(".top").offsetHeight;
      if (now.offsetTop - top < scroll.scrollTop) scroll.scrollTop = now.offsetTop - top;
      const below = now.offsetTop + now.offsetHeight - scroll.clientHeight;
      if (below > scroll.scrollTop) scroll.scrollTop = below;
    }
  };
  const go = {
    first: () => show(0),
    back: () => show(at < 0 ? steps.length - 1 : Math.max(at - 1, 0)),
    next: () => show(at + 1),
    last: () => show(steps.length - 1),
    all: () => show(-1),
  };
  const keys = { ArrowRight: "next", ArrowDown: "next", j: "next", ArrowLeft: "back", ArrowUp: "back", k: "back", Home: "first", End: "last", Escape: "all" };
  figure.querySelector(".go").hidden = false;
  const linked = () => { // a link to one step
    const [to, step] = location.hash.slice(1).split("-step-");
    if (to === id && step) {
      figure.scrollIntoView();
      show(Number(step) - 1 || 0);
    }
  };
  addEventListener("hashchange", linked);
  linked();
  figure.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go]"), row = event.target.closest("[data-step]");
    if (button) go[button.dataset.go]();
    else if (row && !String(getSelection())) show(steps.indexOf(row));
  });
  figure.addEventListener("keydown", (event) => {
    const what = keys[event.key];
    if (!what || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go[what]();
  });
}
