// The script of a self-contained page: draws the data that the page carries.
import type { PageData } from '../../data.js';
import { comparisonPage } from '../comparison-page.js';
import { runPage } from '../run-page.js';

const data = JSON.parse(document.getElementById('data')!.textContent) as PageData;
document.body.append(data.kind === 'run' ? runPage(data) : comparisonPage(data));
