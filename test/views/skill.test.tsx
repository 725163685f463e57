import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/skill/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const output = {
  skill: 'review',
  description: 'Looks at a change',
  source: 'workspace',
  path: '/workspace/.claude/skills/review/SKILL.md',
  context: 'inline',
  text: 'Instructions of the skill "review".\n\nLook at main.',
  allowedTools: ['Edit(src/**)'],
  untrustedTools: [],
  isCut: false,
};

const example = {
  toolName: 'Skill',
  input: { skill: 'review', args: 'main' },
  streamingInput: { skill: 'rev' },
  output,
  progress: [{ activity: 'Reading src/app.ts' }],
  failure: 'There is no skill "review". This session has none.',
};

describe('view of Skill', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('shows the report of an agent that has followed it as Markdown', () => {
    const forked = { ...output, context: 'fork', text: 'It is **fine**.', allowedTools: [] };
    const markup = renderCall(view, callIn('output-available', { ...example, output: forked }));
    expect(markup).toContain('<strong>fine</strong>');
    expect(markup).toContain('by an agent of its own');
  });

  it('names the rules that nobody has trusted it with', () => {
    const untrusted = { ...output, allowedTools: [], untrustedTools: ['Repl'] };
    const markup = renderCall(view, callIn('output-available', { ...example, output: untrusted }));
    expect(markup.replaceAll('\n', '')).toContain('Not allowed, as this skill isn’t trusted: Repl');
  });
});
