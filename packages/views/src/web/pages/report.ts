// Runs as the script of a self-contained page, and draws the data in the page.
import type { PageData } from '../../data.js';
import { comparisonPage } from '../comparison-page.js';
import { runPage } from '../run-page.js';

const RELOAD_MS = 10_000;

const data = JSON.parse(document.getElementById('data')!.textContent) as PageData;
// A running run updates its page regularly.
if (data.kind === 'run' && data.status === 'running') setTimeout(() => location.reload(), RELOAD_MS);
document.body.append(data.kind === 'run' ? runPage(data) : comparisonPage(data));
