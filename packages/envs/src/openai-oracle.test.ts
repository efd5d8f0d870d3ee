import { answerRequests } from '@bowyer/testing';
import { OpenAiChat } from './http/openai-chat.js';
import { OpenAiOracle } from './openai-oracle.js';
import { environmentInfo, makeEnv } from './registry.js';

interface Asked {
  model: string;
  max_tokens: number;
  messages: { role: string; content: string }[];
}

/** Starts a chat server on this machine. `reply` computes its answers from the request. */
async function chatServer(reply: (userText: string) => object) {
  const asked: Asked[] = [];
  const server = await answerRequests<Asked>(({ json }) => {
    asked.push(json);
    const message = { role: 'assistant', ...reply(json.messages.at(-1)!.content) };
    return { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: {} };
  });
  const chat = new OpenAiChat({ baseUrl: `${server.address}/v1`, model: 'small', apiKey: null, concurrency: 2 });
  const close = async () => {
    await chat.close();
    server.close();
  };
  return { asked, chat, close };
}

test('Twenty Questions with a chat server as its oracle', async () => {
  const { asked, chat, close } = await chatServer((text) => ({
    content: text.includes('animal') ? ' Yes, it\nis' : 'No.',
  }));
  try {
    const oracle = new OpenAiOracle(chat, 'small', environmentInfo('twenty_questions').oracles!.openai!);
    const env = makeEnv('twenty_questions', { words: ['Dog'], oracle: 'openai' }, { oracle });
    await env.reset({ seed: 0 });
    await env.step('is it an animal?');
    expect(await env.step('is it a chair?')).toMatchObject({
      observation: 'Questions:\nis it an animal? Yes.\nis it a chair? No.\n',
      info: { oracle: 'openai/small' },
    });
    expect(asked[0]).toMatchObject({ model: 'small', max_tokens: 16 });
    expect(asked[0].messages.at(-1)!.content).toMatch(/^The object is dog\. is it an animal\?$/i);
  } finally {
    await close();
  }
});

test('Guess My City with a chat server: its slips of the tongue are not heard', async () => {
  const { asked, chat, close } = await chatServer((text) =>
    text.includes('coast')
      ? { content: 'Yes, it lies\nby the ocean.' }
      : { content: null, refusal: 'I will not say Lima.' },
  );
  try {
    const oracle = new OpenAiOracle(chat, 'small', environmentInfo('guess_my_city').oracles!.openai!);
    const env = makeEnv('guess_my_city', { cities: ['Lima'], oracle: 'openai' }, { oracle });
    await env.reset({ seed: 0 });
    await env.step('Is it on the coast?');
    expect((await env.step('Where is it?')).observation).toBe(
      "Questions:\nIs it on the coast? Yes, it lies by the ocean.\nWhere is it? I can't answer that question.\n",
    );
    expect(asked[0].messages.at(-1)!.content).toBe('Your home town is Lima, Peru. Is it on the coast?');
  } finally {
    await close();
  }
});
