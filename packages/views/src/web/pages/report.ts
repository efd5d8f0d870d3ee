// Starts a self-contained page in the browser: draws the report of a run or a comparison from the data inside the page.
import type { PageData } from '../../data.js';
import { comparisonPage } from '../comparison-page.js';
import { runPage } from '../run-page.js';

const RELOAD_MS = 10_000;

const data = JSON.parse(document.getElementById('data')!.textContent) as PageData;
// While the run is running, its process writes the page again at intervals, so that the browser loads it again.
if (data.kind === 'run' && data.status === 'running') setTimeout(() => location.reload(), RELOAD_MS);
document.body.append(data.kind === 'run' ? runPage(data) : comparisonPage(data));
