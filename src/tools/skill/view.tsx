// The view of Skill: its name and purpose, its arguments, and its instructions, folded away.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { Markdown } from '../../react/kit/markdown.tsx';
import { readActivity } from '../../react/kit/read-activity.ts';
import { skillInputSchema, skillOutputSchema } from './schema.ts';
import type { SkillInput, SkillOutput } from './schema.ts';

export const view = defineView({ input: skillInputSchema, output: skillOutputSchema }, SkillView);

function SkillView({ call }: { readonly call: ParsedCall<SkillInput, SkillOutput> }) {
  const { input, output, state, progress } = call;
  const name = output?.skill ?? input.skill ?? '';
  const isForked = output?.context === 'fork';
  const activity = output ? undefined : readActivity(progress);
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Reading skill', isForked ? 'Followed skill' : 'Skill')}
      detail={name && <code>{name}</code>}
      meta={output && measure(output)}
    >
      {output && <p className="rp-note">{output.description}</p>}
      {input.args !== undefined && input.args !== '' && <CodeBlock text={input.args} wraps />}
      {activity !== undefined && <p className="rp-note">{activity}</p>}
      {output?.path !== undefined && (
        <p className="rp-note">
          <FileLink path={output.path} suffix="" />
        </p>
      )}
      {output && <Rules output={output} />}
      {output &&
        (isForked ? <Markdown text={output.text} /> : <CodeBlock text={output.text} wraps />)}
    </CallFrame>
  );
}

function measure({ context, text, isCut }: SkillOutput): string {
  if (context === 'fork') return 'by an agent of its own';
  const lines = text.split('\n').length;
  return `${lines} lines${isCut ? ', cut' : ''}`;
}

function Rules({ output }: { readonly output: SkillOutput }) {
  const { allowedTools, untrustedTools } = output;
  return (
    <>
      {allowedTools.length > 0 && (
        <p className="rp-note">Allowed until the turn ends: {allowedTools.join(', ')}</p>
      )}
      {untrustedTools.length > 0 && (
        <p className="rp-note">
          Not allowed, as this skill isn’t trusted: {untrustedTools.join(', ')}
        </p>
      )}
    </>
  );
}
