// Fills the list of versions in the side bar from versions.json: the one above this version's
// folder where there is one, else this version's own. From file:// neither is readable, and
// the list keeps the version of the page alone.
(async () => {
  const form = document.querySelector("form.versions");
  if (!form || location.protocol === "file:") return;
  const { root, page, version } = form.dataset;
  const select = form.querySelector("select");
  const own = new URL(root || "./", location.href);
  for (const place of [new URL("../versions.json", own), new URL("versions.json", own)]) {
    try {
      const answer = await fetch(place);
      if (!answer.ok) continue;
      const options = (await answer.json()).map((entry) => {
        const address = new URL(entry.url, place).href;
        return new Option(entry.name, address, false, entry.version === version);
      });
      select.replaceChildren(...options);
      select.disabled = options.length < 2;
      break;
    } catch { /* not there, or not a list: the next one */ }
  }
  select.addEventListener("change", async () => {
    // the same page of the other version, where it has one
    const same = new URL(page, select.value);
    const answer = await fetch(same, { method: "HEAD" }).catch(() => null);
    location.href = answer && answer.ok ? same.href : select.value;
  });
})();
