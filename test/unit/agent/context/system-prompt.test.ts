// The forms of the option `systemPrompt`: what the model's server gets of each, and what is refused.
import { expect, it } from 'vitest';
import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../../../src/agent/context/system-prompt-option.ts';
import type { SystemPrompt } from '../../../../src/agent/context/system-prompt-option.ts';
import { query } from '../../../../src/agent/query.ts';
import type { Model } from '../../../../src/model/model.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import { openHost, readAll, say } from '../../../support/turns/run-hooked.ts';

/** The system blocks of the first request, but for the tools' own. */
async function ask(systemPrompt: SystemPrompt, coordinator = false): Promise<readonly string[]> {
  await using host = await openHost();
  const scripted = createScriptedModel({ script: { turns: [say('Done.')] } });
  let texts: readonly string[] = [];
  const model: Model = {
    ...scripted,
    stream(request, options) {
      texts = request.system.map(({ text }) => text);
      return scripted.stream(request, options);
    },
  };
  await readAll(query({ prompt: 'Go.', options: { host, model, systemPrompt, coordinator } }));
  return texts.slice(0, -1);
}

const list = ['You are a bot.', SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'It is for Ada.'];

it.each<[string, SystemPrompt, readonly string[]]>([
  ['a text', 'You are a bot.', ['You are a bot.']],
  ['a list', list, ['You are a bot.', 'It is for Ada.']],
  ['one of its own', { type: 'custom', prompt: 'You are a bot.' }, ['You are a bot.']],
  ['a list of its own', { type: 'custom', prompt: list }, ['You are a bot.', 'It is for Ada.']],
])('%s is all of the prompt, for a coordinator, too', async (_form, given, texts) => {
  expect(await ask(given)).toEqual(texts);
  expect(await ask(given, true)).toEqual(texts);
});

it('the preset has more after it', async () => {
  const [own = ''] = await ask({ type: 'preset', preset: 'claude_code', append: 'Be brief.' });
  expect(own).toMatch(/.+\n\nBe brief\.$/su);
});

it.each<[unknown]>([
  [{ type: 'custom' }],
  [{ type: 'preset', preset: 'other' }],
  [['You are a bot.', 1]],
  [{ prompt: 'You are a bot.' }],
  [null],
])('%j is refused', async (given) => {
  await using host = await openHost();
  const model = createScriptedModel({ script: { turns: [] } });
  const options = { host, model, systemPrompt: given as SystemPrompt };
  expect(() => query({ prompt: 'Go.', options })).toThrow(/^systemPrompt is a text/u);
});
