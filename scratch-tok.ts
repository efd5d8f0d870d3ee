import { Rng } from '@bowyer/core';
import { loadTokenizer } from '@bowyer/models';
import { readFileSync } from 'node:fs';
const cpuMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
const t = await loadTokenizer('/tmp/scratch-model');
const words='is it bigger than a bread box or a dog ? ';
for (const [name, text] of Object.entries({ words: words.repeat(13000), letter: 'a'.repeat(2**19), accents: 'e\u0301\u0323'.repeat(2**19/3), spaces: ' '.repeat(2**19), emoji: '😀'.repeat(2**18), han: '漢'.repeat(2**19) })) {
  for (const rep of [0,1]) {
  const steps = t.encodeInSteps(text, { maxTokens: 32769 });
  const spans: number[] = [];
  for (;;) { const b = cpuMs(); const r = steps.next(); spans.push(cpuMs()-b); if (r.done) break; }
  console.log(name, rep, 'steps', spans.length, 'largest', [...spans].map((v,i)=>[v,i]).sort((a,b)=>b[0]-a[0]).slice(0,5).map(([v,i])=>`${i}:${v.toFixed(1)}`).join(' '), 'sum', spans.reduce((a,b)=>a+b).toFixed(0));
  }
}
