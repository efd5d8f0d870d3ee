// The script of a self-contained page: draws the data that the page carries.
import type { PageData } from '../../data.js';
import { comparisonPage } from '../comparison-page.js';
import { runPage } from '../run-page.js';

const RELOAD_MS = 10_000;

const data = JSON.parse(document.getElementById('data')!.textContent) as PageData;
// The run writes its page again while it works.
if (data.kind === 'run' && data.status === 'running') setTimeout(() => location.reload(), RELOAD_MS);
document.body.append(data.kind === 'run' ? runPage(data) : comparisonPage(data));
