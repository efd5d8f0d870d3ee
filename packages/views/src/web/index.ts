// Exports the code that draws the pages in a browser, for other pages.
export { chart, type ChartInput, type Line } from './chart.js';
export { bandChart, comparisonPage } from './comparison-page.js';
export { dialogueView, episodeTitle, foldedDialogue, sideBySide } from './dialogue.js';
export { el, lazyDetails, section } from './dom.js';
export { figure, signed } from './format.js';
export { factList, head, noteList, warningList } from './parts.js';
export { metricChart, runPage, runSections } from './run-page.js';
export { sortableList, table, type Column } from './tables.js';
