// Commands of ours whose text is a prompt: what the model is asked, and who may take their place.
import { expect, it } from 'vitest';
import { quickHost } from '../../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../../support/turns/play-turns.ts';
import { lastPrompt, talk } from '../../../support/sessions/talk-commands.ts';

it.each([
  ['/init', 'CLAUDE.md at the root of the project'],
  ['/init Say how to release.', 'Say how to release.'],
  ['/review', "the changes of this project that aren't committed"],
  ['/review the newest commit', 'Review this: the newest commit.'],
])('%s asks the model', async (prompt, wanted) => {
  const model = listModel('claude-test', [says('Done.')]);
  const { texts } = await talk(await quickHost(), [prompt], { model });
  expect(lastPrompt(model)).toContain(wanted);
  expect(lastPrompt(model)).not.toContain('$ARGUMENTS');
  expect(texts).toEqual([]);
});

it('/review shows files that it is given', async () => {
  const host = await quickHost();
  await host.workspace.fs.writeFile('/workspace/a.ts', 'export const a = 1;');
  const model = listModel('claude-test', [says('Done.')]);
  await talk(host, ['/review @a.ts'], { model });
  expect(lastPrompt(model)).toContain('export const a = 1;');
});

it('a file of the project takes the place of ours, without a word', async () => {
  const host = await quickHost();
  const { fs } = host.workspace;
  await fs.mkdir('/workspace/.claude/commands', { recursive: true });
  await fs.writeFile('/workspace/.claude/commands/review.md', 'Review it our way.');
  const model = listModel('claude-test', [says('Done.')]);
  const { told } = await talk(host, ['/review'], { model, settingSources: ['project'] });
  expect(lastPrompt(model)).toBe('Review it our way.');
  expect(JSON.stringify(told)).not.toContain('is left out');
});
