"use strict";
(() => {
  const equations = JSON.parse(document.getElementById("equation-data").textContent);
  const plot = document.getElementById("front-plot");
  const points = [...plot.querySelectorAll(".point")];
  const tooltip = plot.querySelector(".tooltip");
  const selected = document.getElementById("selected");
  const back = document.getElementById("back");
  const rows = [...document.querySelectorAll("#equations tbody tr")];
  const chosen = equations.findIndex((equation) => equation.is_chosen);

  // The script shows more than the browser's own tooltip, which would cover it.
  points.forEach((point) => point.removeAttribute("title"));

  function showTooltip(index) {
    const equation = equations[index];
    const code = document.createElement("code");
    code.textContent = equation.text;
    const head = (index === chosen ? "chosen · " : "") + `complexity ${equation.complexity} · R² ${equation.r2}`;
    tooltip.replaceChildren(head, code);
    tooltip.hidden = false;
    points.forEach((point, place) => point.classList.toggle("is-near", place === index));
    const frame = plot.getBoundingClientRect();
    const dot = points[index].getBoundingClientRect();
    const middle = dot.left + dot.width / 2 - frame.left;
    const left = Math.min(Math.max(middle - tooltip.offsetWidth / 2, 0), frame.width - tooltip.offsetWidth);
    const above = dot.top - frame.top - tooltip.offsetHeight - 10;
    tooltip.style.left = `${left}px`;
    tooltip.style.top = `${above >= 0 ? above : dot.bottom - frame.top + 10}px`;
  }

  function hideTooltip() {
    tooltip.hidden = true;
    points.forEach((point) => point.classList.remove("is-near"));
  }

  function select(index) {
    const equation = equations[index];
    points.forEach((point, place) => {
      point.setAttribute("aria-checked", String(place === index));
      point.tabIndex = place === index ? 0 : -1;
    });
    const formula = rows[index].querySelector(".equation").cloneNode(true);
    const box = document.getElementById("selected-equation");
    box.replaceChildren(formula);
    box.scrollLeft = 0;
    selected.querySelectorAll("[data-fact]").forEach((cell) => {
      cell.textContent = rows[index].querySelector(`[data-fact="${cell.dataset.fact}"]`).textContent;
    });
    selected.querySelectorAll("[data-copy]").forEach((button) => { button.dataset.index = index; });
    document.getElementById("selected-text").textContent = equation.exact;
    const title = index === chosen ? "Chosen equation" : `Equation of complexity ${equation.complexity}`;
    document.getElementById("selected-title").textContent = title;
    back.hidden = index === chosen;
  }

  function nearest(event) {
    let best = 0, least = Infinity;
    points.forEach((point, index) => {
      const box = point.getBoundingClientRect();
      const distance = Math.hypot(event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
      if (distance < least) { least = distance; best = index; }
    });
    return least < 40 ? best : -1;
  }

  plot.addEventListener("pointermove", (event) => {
    const index = nearest(event);
    if (index < 0) hideTooltip(); else showTooltip(index);
  });
  plot.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hideTooltip(); });
  plot.addEventListener("click", (event) => {
    const index = nearest(event);
    if (index < 0) return hideTooltip();
    select(index);
    showTooltip(index);
  });
  points.forEach((point, index) => {
    point.addEventListener("focus", () => showTooltip(index));
    point.addEventListener("blur", hideTooltip);
    point.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const ends = { Home: 0, End: points.length - 1 };
      if (event.key === "Escape") return hideTooltip();
      if (event.key === "Enter" || event.key === " ") select(index);
      else if (step) points[Math.min(Math.max(index + step, 0), points.length - 1)].focus();
      else if (event.key in ends) points[ends[event.key]].focus();
      else return;
      if (step || event.key in ends) select(points.indexOf(document.activeElement));
      event.preventDefault();
    });
  });
  back.addEventListener("click", () => { select(chosen); points[chosen].focus(); });
  rows.forEach((row, index) => row.addEventListener("click", () => {
    if (String(window.getSelection())) return;  // the reader marks text
    select(index);
    plot.scrollIntoView({ block: "center" });
    showTooltip(index);
  }));

  async function copy(text, button) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // pages opened from a file may not use the clipboard directly
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "hidden-text";
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    const name = button.dataset.name ??= button.textContent;
    button.textContent = "Copied";
    button.classList.add("is-done");
    document.getElementById("said").textContent = `${name} copied`;
    setTimeout(() => { button.textContent = name; button.classList.remove("is-done"); }, 1400);
  }

  document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", () =>
    copy(equations[button.dataset.index].copies[button.dataset.copy], button)));
  document.querySelectorAll("[data-copy-code]").forEach((button) => button.addEventListener("click", () =>
    copy(button.closest(".code").querySelector("code").textContent, button)));
})();
