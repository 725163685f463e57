// The view of LSP: the question, the number of results, and the places as links. Faults have their
// severity, and a hover is shown as code.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { LongList } from '../../react/kit/long-list.tsx';
import { Matches } from '../../react/kit/matches.tsx';
import { lspInputSchema, lspOutputSchema } from './schema.ts';
import type { LspInput, LspOperation, LspOutput } from './schema.ts';

export const view = defineView({ input: lspInputSchema, output: lspOutputSchema }, LspView);

const words: Readonly<Record<LspOperation, string>> = {
  diagnostics: 'errors',
  definition: 'definition',
  implementation: 'implementations',
  references: 'references',
  hover: 'type',
  documentSymbols: 'symbols',
  workspaceSymbols: 'symbols named',
  incomingCalls: 'callers',
  outgoingCalls: 'calls',
};

function LspView({ call }: { readonly call: ParsedCall<LspInput, LspOutput> }) {
  const { input, output, state } = call;
  const { operation } = input;
  const title = `${wordFor(state, 'Looking up', 'Look up')} ${operation ? words[operation] : 'code'}`;
  return (
    <CallFrame
      call={call}
      title={title}
      detail={<Asked input={input} />}
      meta={output && describeCount(output)}
    >
      {output && output.total > 0 && <Answer output={output} />}
    </CallFrame>
  );
}

function Asked({ input }: { readonly input: Partial<LspInput> }) {
  const { file_path: path, line, query } = input;
  if (query !== undefined) return <code>{query}</code>;
  if (path === undefined) return null;
  return <FileLink path={path} {...(line !== undefined && { line })} />;
}

function Answer({ output }: { readonly output: LspOutput }) {
  const { diagnostics, hover, locations = [], symbols } = output;
  if (hover) {
    return (
      <>
        <CodeBlock text={hover.code} />
        {hover.documentation !== '' && <p>{hover.documentation}</p>}
      </>
    );
  }
  if (diagnostics) return <Faults faults={diagnostics} />;
  if (symbols) return <Symbols symbols={symbols} />;
  return <Matches lines={locations.map((each) => ({ ...each, isMatch: true }))} />;
}

function Faults({ faults }: { readonly faults: NonNullable<LspOutput['diagnostics']> }) {
  return (
    <LongList items={faults} step={50} noun="faults">
      {(shown) => (
        <ul className="rp-files">
          {shown.map(({ path, line, character, severity, code, message }, index) => (
            <li key={index}>
              <strong className={`rp-severity-${severity}`}>{severity}</strong>{' '}
              <FileLink path={path} line={line} suffix={`:${line}:${character}`} /> {message}{' '}
              {code !== undefined && <code>{code}</code>}
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}

function Symbols({ symbols }: { readonly symbols: NonNullable<LspOutput['symbols']> }) {
  return (
    <LongList items={symbols} step={100} noun="symbols">
      {(shown) => (
        <ul className="rp-files">
          {shown.map(({ path, line, name, kind, container, depth = 0 }, index) => (
            <li key={index}>
              {'\u2003'.repeat(depth)}
              {kind} <code>{name}</code>
              {container !== undefined && ` in ${container}`} <FileLink path={path} line={line} />
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}

function describeCount({ operation, total, files, diagnostics, hover }: LspOutput): string {
  if (hover) return '';
  if (total === 0) return operation === 'diagnostics' ? 'no errors' : 'nothing';
  return `${diagnostics ? countFaults(total, diagnostics) : total} in ${count(files, 'file')}`;
}

/** If only the first faults are listed, nothing is known of the severity of the others. */
function countFaults(total: number, listed: NonNullable<LspOutput['diagnostics']>): string {
  const errors = listed.filter(({ severity }) => severity === 'error').length;
  if (errors === total) return count(errors, 'error');
  const all = count(total, 'fault');
  return listed.length === total && errors > 0 ? `${all}, ${count(errors, 'error')},` : all;
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}
