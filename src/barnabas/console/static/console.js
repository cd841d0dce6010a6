// What moves on a page. Every page works without it.
"use strict";

// Events of a stream, as long as somebody sees the page: all tabs of a browser share six connections
// to a host. `take` has what came, `says` a sentence about what is wrong, or none.
const RETRY_MS = 3000;
function follow(address, take, says) {
  const url = new URL(address, location.href);
  let stream = null;
  let timer = 0;
  let wanted = true;
  const close = () => {
    clearTimeout(timer);
    if (stream) stream.close();
    stream = null;
  };
  const open = () => {
    close();
    if (!wanted || document.hidden) return;
    stream = new EventSource(url);
    stream.onmessage = (event) => {
      const news = JSON.parse(event.data);
      // Where to go on from, after an interruption.
      for (const [name, text] of Object.entries(news.next ?? {})) url.searchParams.set(name, text);
      says(news.problem ?? news.trouble ?? "");
      if (news.problem) {
        wanted = false;
        close();
      } else take(news);
    };
    stream.onerror = () => {
      close();
      says("The console does not answer, or has too many open pages. Trying again…");
      timer = setTimeout(open, RETRY_MS);
    };
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  open();
  return (on) => {
    wanted = on;
    if (on) open();
    else close();
  };
}

// Numbers of the overview: the element with `data-events` names the stream.
for (const moving of document.querySelectorAll("[data-events]")) {
  const problem = () => document.getElementById("problem");
  follow(moving.dataset.events, (news) => {
    for (const [id, text] of Object.entries(news.text)) {
      const element = document.getElementById(id);
      if (element && element.textContent !== text) element.textContent = text;
    }
    const none = document.createElement("tr");
    none.append(Object.assign(document.createElement("td"), {colSpan: 2, textContent: news.idle}));
    const busiest = document.getElementById("busiest");
    if (!news.busiest.length) busiest.replaceChildren(none);
    else busiest.replaceChildren(...news.busiest.map(([name, href, rate]) => {
      const row = document.createElement("tr");
      const head = Object.assign(document.createElement("th"), {scope: "row"});
      head.append(Object.assign(document.createElement("a"), {href, textContent: name}));
      row.append(head, Object.assign(document.createElement("td"), {className: "n", textContent: rate}));
      return row;
    }));
  }, (sentence) => {
    if (sentence) problem().textContent = `These numbers are old. ${sentence}`;
  });
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
  const says = document.getElementById("live-says");
  const problem = document.getElementById("live-problem");
  const usual = says.textContent;
  let skipped = 0;
  const turn = follow(state.dataset.live, (news) => {
    for (const html of news.rows) {
      rows.insertAdjacentHTML("afterbegin", html);
      rows.firstElementChild.classList.add("fresh");
    }
    while (rows.childElementCount > MOST_ROWS) rows.lastElementChild.remove();
    skipped += news.more;
    if (skipped) more.textContent = `${skipped} more came than fit here.`;
  }, (sentence) => {
    problem.textContent = sentence;
    says.textContent = sentence ? "Not live now." : usual;
  });
  let runs = true;
  pause.hidden = false;
  pause.addEventListener("click", () => {
    runs = !runs;
    pause.textContent = runs ? "Pause" : "Go on";
    turn(runs);
  });
}
