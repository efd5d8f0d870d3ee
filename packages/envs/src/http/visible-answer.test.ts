import { visibleAnswer } from './visible-answer.js';

test.each([
  ['look', 'look'],
  ['  look \n', 'look'],
  ['<think>\nHm.\n</think>\n\nlook', 'look'],
  ['Hm, the template has begun the thoughts.</think>look', 'look'],
  ['<think>a</think>first<think>b</think>look', 'look'],
  ['<think></think>', ''],
  ['look<think>That was it.</think>', 'look'],
  ['<THINK>Hm.</THINK>look', 'look'],
  ['<thinking>Hm.</thinking>look', 'look'],
  ['<seed:think>Hm.</seed:think>look', 'look'],
  ['[THINK]Hm.[/THINK]look', 'look'],
  ['◁think▷Hm.◁/think▷look', 'look'],
  ['<|channel>thought\nHm.<channel|>look', 'look'],
  ['<|begin_of_thought|>Hm.<|end_of_thought|><|begin_of_solution|>look<|end_of_solution|>', 'look'],
  ['<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>look<|END_RESPONSE|>', 'look'],
  ['<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>look<|return|>', 'look'],
  ['<|channel|>final <|constrain|>json<|message|>{"a": 1}', '{"a": 1}'],
  ['analysisHm.assistantfinallook', 'look'],
  ['I think <b>so</b>, [think] of it', 'I think <b>so</b>, [think] of it'],
  ['<search>who</search>', '<search>who</search>'],
])('%j is answered with %j', (content, answer) => {
  expect(visibleAnswer(content)).toBe(answer);
});

test.each([
  '<think>I wonder',
  '<think>a</think>look<think>or',
  '[THINK]I wonder',
  '<|channel|>analysis<|message|>I wonder',
  '<|channel|>commentary<|message|>I call',
  '<|START_THINKING|>I wonder',
])('%j has no answer: its thoughts do not end', (content) => {
  expect(visibleAnswer(content)).toBeNull();
});
