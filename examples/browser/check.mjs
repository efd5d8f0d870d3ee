// Plays a game in the page in headless Chromium, answered as the rules' oracle answered the same agent in Bowyer, and compares
// both games and, after every history, the greedy tokens:
//   npm run check -- RUN [--word=WORD] [--screenshot=FILE] [--chromium=PROGRAM]
// RUN is the run whose agent was exported to model/twenty-questions (README.md). Exits with 1 where something differs.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import puppeteer from 'puppeteer-core';
import { serve } from './serve.mjs';

const bowyer = join(import.meta.dirname, '../../packages/runner/bin/bowyer.js');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    word: { type: 'string' },
    screenshot: { type: 'string' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});
if (positionals.length !== 1) throw new Error('check.mjs needs one argument: the run whose agent the page has');
const run = resolve(positionals[0]);

const runBowyer = (...keys) =>
  execFileSync(process.execPath, [bowyer, ...keys], { stdio: ['ignore', 'ignore', 'inherit'] });

const readLines = async (file) =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A greedy game for each of the ten words, in 8 bits as in the page. */
async function gamesOfBowyer(dir) {
  const game = ['--config-name', 'bc_20q', 'task=evaluate', `checkpoint_path=${run}`, 'quantization=8bit'];
  const words = ['eval_decoding=greedy', 'env.word_choice=bySeed', 'test_size=10', `save_path=${join(dir, 'games')}`];
  runBowyer(...game, ...words);
  return readLines(join(dir, 'games/trajectories/test.jsonl'));
}

/** The greedy tokens after each history. */
async function tokensOfBowyer(dir, histories) {
  const [input, output] = ['histories.jsonl', 'tokens.jsonl'].map((name) => join(dir, name));
  await writeFile(input, histories.map((prompt) => `${JSON.stringify({ prompt })}\n`).join(''));
  const model = ['--config-name', 'generate', `model=${run}`, 'quantization=8bit', 'max_new_tokens=16'];
  runBowyer(...model, 'eos_str="\n"', `input=${input}`, `output=${output}`, `save_path=${join(dir, 'tokens')}`);
  return (await readLines(output)).map(({ ids }) => ids);
}

/** Answers the page's questions with the replies of a game. @returns the turns and the last status line */
async function playInPage(page, replies) {
  await page.waitForSelector('#start:not([disabled]):not([hidden])');
  await page.click('#start');
  for (const reply of replies) {
    await page.waitForSelector('#yes:not([hidden])');
    await page.click(reply.trim() === 'Yes.' ? '#yes' : '#no');
  }
  await page.waitForSelector('#start:not([hidden])');
  const turns = await page.$$eval('#turns li', (rows) =>
    rows.map(({ dataset, children }) => ({
      history: dataset.history,
      ids: dataset.ids.split(',').map(Number),
      question: children[1].textContent,
    })),
  );
  return { turns, status: await page.$eval('#status', ({ textContent }) => textContent) };
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Prints what is equal. @returns whether all of it is */
function compare(game, inPage, tokens) {
  const questions = game.turns.map(({ action }) => action);
  const isSameGame = same(
    inPage.turns.map(({ question }) => question),
    questions,
  );
  console.log(
    `${game.item}: ${questions.length} questions in Bowyer, ${isSameGame ? 'the same' : 'others'} in the page`,
  );
  for (const [i, { question, ids }] of inPage.turns.entries())
    console.log(
      `  ${question} ${same(ids, tokens[i]) ? `${ids.length} tokens equal` : `tokens ${ids}, in Bowyer ${tokens[i]}`}`,
    );
  console.log(`  ${inPage.status}`);
  return (
    isSameGame &&
    same(
      inPage.turns.map(({ ids }) => ids),
      tokens,
    )
  );
}

async function checkGames(page, dir) {
  const games = await gamesOfBowyer(dir);
  const chosen = games.filter(({ item }) => values.word === undefined || item === values.word);
  if (chosen.length === 0)
    throw new Error(`--word=${values.word}: the words are ${games.map(({ item }) => item).join(', ')}`);
  const played = [];
  for (const game of chosen)
    played.push(
      await playInPage(
        page,
        game.turns.map(({ reply }) => reply),
      ),
    );
  if (values.screenshot) await page.screenshot({ path: values.screenshot });
  const histories = played.flatMap(({ turns }) => turns.map(({ history }) => history));
  const tokens = await tokensOfBowyer(dir, histories);
  const isEqual = chosen.map((game, i) => compare(game, played[i], tokens.splice(0, played[i].turns.length)));
  console.log(`${isEqual.filter(Boolean).length} of ${chosen.length} games equal, ${histories.length} histories`);
  return isEqual.every(Boolean);
}

const dir = await mkdtemp(join(tmpdir(), 'browser-check-'));
const server = await serve(0);
// Debian's sandbox needs rights that containers do not have; the page is this folder's own.
const browser = await puppeteer.launch({ executablePath: values.chromium, args: ['--no-sandbox'] });
try {
  const origin = `http://127.0.0.1:${server.address().port}/`;
  const page = await browser.newPage();
  await page.setViewport({ width: 390, height: 720 });
  const elsewhere = [];
  page.on('request', (request) => {
    if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(origin)) elsewhere.push(request.url());
  });
  await page.goto(origin);
  const isEqual = await checkGames(page, dir);
  console.log(`${elsewhere.length} requests to other servers${elsewhere.map((url) => `\n  ${url}`).join('')}`);
  process.exitCode = isEqual && elsewhere.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  server.close();
  await rm(dir, { recursive: true });
}
