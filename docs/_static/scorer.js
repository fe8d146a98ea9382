// The order of search results: pages to learn from come before notes for developers.
// `var`, because searchtools.js declares the same name with `var` and would not load after a `const`.
var Scorer = {
  folders: [
    ["tutorial/", 60], ["howto/", 50], ["library/", 35], ["gallery/", 20], ["installation", 20],
    ["performance/", 5], ["reference/", 0], ["extending/", 0], ["deviations", -40],
    ["internals/", -30], ["adr/", -60],
  ],
  // score of a name of the reference: its whole name, or a part of it
  objNameMatch: 30,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  // the words of a title, then those of the text
  title: 30,
  partialTitle: 15,
  term: 5,
  partialTerm: 2,
  score: ([page, , , , score]) =>
    score + (Scorer.folders.find(([start]) => page.startsWith(start)) ?? ["", 0])[1],
};
