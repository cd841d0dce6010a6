// What moves on a page. Every page works without it.
"use strict";

// Numbers of the overview: the element with `data-events` names the stream.
for (const moving of document.querySelectorAll("[data-events]")) {
  const stream = new EventSource(moving.dataset.events);
  stream.onmessage = (event) => {
    const news = JSON.parse(event.data);
    for (const [id, text] of Object.entries(news.text)) {
      const element = document.getElementById(id);
      if (element && element.textContent !== text) element.textContent = text;
    }
    const busiest = document.getElementById("busiest");
    busiest.replaceChildren(...news.busiest.map(([name, href, rate]) => {
      const row = document.createElement("tr");
      const head = Object.assign(document.createElement("th"), {scope: "row"});
      head.append(Object.assign(document.createElement("a"), {href, textContent: name}));
      row.append(head, Object.assign(document.createElement("td"), {className: "n", textContent: rate}));
      return row;
    }));
  };
}

// What a page was shown without: the same page is fetched once more, and waits for it.
for (const part of document.querySelectorAll("[data-later]")) {
  fetch(part.dataset.later).then((response) => response.text()).then((text) => {
    const whole = new DOMParser().parseFromString(text, "text/html");
    const found = whole.getElementById(part.id);
    if (found) part.replaceWith(found);
    else part.replaceChildren(...whole.getElementById("main").childNodes);
  }).catch(() => {
    part.removeAttribute("aria-busy");
    part.append("The console does not answer: load the page again.");
  });
}

// Live records: rows come from the server, escaped; the page keeps the newest.
const MOST_ROWS = 500;
for (const state of document.querySelectorAll("[data-live]")) {
  const rows = document.getElementById("records");
  const more = document.getElementById("live-more");
  const pause = document.getElementById("live-pause");
  let skipped = 0;
  let stream = null;
  const begin = () => {
    stream = new EventSource(state.dataset.live);
    stream.onmessage = (event) => {
      const news = JSON.parse(event.data);
      if (news.problem) {
        more.textContent = news.problem;
        stream.close();
        return;
      }
      for (const html of news.rows) {
        rows.insertAdjacentHTML("afterbegin", html);
        rows.firstElementChild.classList.add("fresh");
      }
      while (rows.childElementCount > MOST_ROWS) rows.lastElementChild.remove();
      skipped += news.more;
      if (skipped) more.textContent = `${skipped} more came than fit here.`;
    };
  };
  pause.hidden = false;
  pause.addEventListener("click", () => {
    if (stream) {
      stream.close();
      stream = null;
      pause.textContent = "Go on";
    } else {
      begin();
      pause.textContent = "Pause";
    }
  });
  begin();
}
