// Times the training of language models without a GPU: LoRA steps and whole iterations of GRPO, over one turn and over ten, in
// Bowyer (float32, 8 and 4 bits) and in TRL with PEFT (float32, bfloat16), at common model shapes, with random weights. Each
// program runs in a separate process (without-gpu/ours.ts, peers/trl_peft.py), and all take turns. Every result is stored in
// without-gpu/results.json, from which the first screen of README.md is written.
//   PYTHON=… node --conditions=source --import tsx benchmarks/without-gpu.ts [SHAPE,…|all|table] [WORK,…|all] [repetitions] [PROGRAM,…|all]
// Shapes and kinds of work are those of without-gpu/work.ts. `table` measures nothing and only writes the screen. The first piece
// of work, in which graphs are compiled, is stored separately. `avx2.ts without-gpu.ts …` hides AVX-512 from all programs.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPeer, type Peer } from './peer.js';
import { writeScreen } from './without-gpu/screen.js';
import {
  LORA,
  shapes,
  works,
  type Piece,
  type Results,
  type Settings,
  type ShapeName,
  type WorkName,
} from './without-gpu/work.js';

const THREADS = 2;
const file = new URL('./without-gpu/results.json', import.meta.url);
const [shapeArgument = 'all', workArgument = 'all', repetitionsArgument = '3', programArgument = 'all'] =
  process.argv.slice(2);
const repetitions = Number(repetitionsArgument);

const chosen = <Name extends string>(argument: string, names: readonly Name[]): Name[] => {
  const given = argument === 'all' ? names : (argument.split(',') as Name[]);
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`'${unknown}': ${names.join(', ')}, or all`);
  return [...given];
};

if (shapeArgument !== 'table') {
  for (const shape of chosen(shapeArgument, Object.keys(shapes) as ShapeName[])) {
    const dir = await mkdtemp(join(tmpdir(), 'without-gpu-'));
    try {
      (await openPeer('without-gpu/random-model.ts', { config: shapes[shape].config, dir }))!.close();
      for (const work of chosen(workArgument, Object.keys(works) as WorkName[]))
        for (const programs of shapes[shape].together) {
          const own = programs.filter((name) => programArgument === 'all' || programArgument.split(',').includes(name));
          if (own.length > 0) await measure(shape, dir, work, own);
        }
    } finally {
      await rm(dir, { recursive: true });
    }
  }
}
writeScreen(results());

type Kept = Results['rows'][number]['first'];

/** Lets programs take turns, and stores their results. */
async function measure(shape: ShapeName, dir: string, work: WorkName, programs: readonly string[]): Promise<void> {
  const { config, lora, checkpointing, prompts, group } = shapes[shape];
  const peers: { name: string; peer: Peer<Piece>; pieces: Kept[] }[] = [];
  for (const name of programs) {
    const peer = await openPeer<Piece>(name.startsWith('ours') ? 'without-gpu/ours.ts' : 'trl_peft.py', {
      config,
      dir,
      form: name.slice(name.indexOf(' ') + 1),
      checkpointing,
      lora: lora ? { r: LORA.r, lora_alpha: LORA.alpha, target_modules: LORA.targetModules } : null,
      prompts,
      group,
      work: works[work],
      threads: THREADS,
      steps: repetitions + 1,
    } satisfies Settings);
    if (peer) peers.push({ name, peer, pieces: [] });
  }
  for (let i = 0; i <= repetitions; i++) {
    for (const { name, peer, pieces } of peers) {
      const piece = { ...(await peer.next()), load: Number(loadavg()[0].toFixed(1)) };
      pieces.push(piece);
      if (i > 0) keep(shape, work, name, peer.about, pieces);
      console.log(
        `${shape}, ${work}, ${name}: ${piece.wall.toFixed(2)} s (CPU ${piece.cpu.toFixed(2)}), rollout ${piece.rollout.toFixed(2)} ` +
          `(${piece.rolloutCpu.toFixed(2)}), ${piece.tokens} tokens and ${piece.observed} read, ${piece.peak.toFixed(2)} GiB; load ${piece.load}`,
      );
    }
  }
  for (const { peer } of peers) peer.close();
}

/** Stores the results of a program so far, in place of earlier ones. */
function keep(shape: ShapeName, work: WorkName, program: string, about: string, pieces: readonly Kept[]): void {
  const kept = results();
  const isSame = (row: Results['rows'][number]) =>
    row.shape === shape && row.work === work && row.program === program && row.machine === machine();
  const date = new Date().toISOString().slice(0, 10);
  const [first, ...timed] = pieces;
  kept.rows = kept.rows.filter((row) => !isSame(row));
  kept.rows.push({ shape, work, program, date, machine: machine(), about, first, pieces: timed });
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
}

function results(): Results {
  return JSON.parse(readFileSync(file, 'utf8')) as Results;
}

function machine(): string {
  const flags = readFileSync('/proc/cpuinfo', 'utf8');
  const extensions = { avx512f: 'AVX-512', avx512_bf16: 'bfloat16', amx_tile: 'AMX' };
  const found = Object.entries(extensions).flatMap(([flag, name]) =>
    process.env.AVX2_ALONE === undefined && flags.includes(` ${flag}`) ? [name] : [],
  );
  return `${cpus().length} cores, ${cpus()[0].model}, ${['AVX2', ...found].join(', ')}`;
}
