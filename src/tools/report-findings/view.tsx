// The view of ReportFindings: the findings by severity, each with a link to its line.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { LongList } from '../../react/kit/long-list.tsx';
import { reportFindingsInputSchema, reportFindingsOutputSchema } from './schema.ts';
import type { Finding, ReportFindingsInput, ReportFindingsOutput } from './schema.ts';

export const view = defineView(
  { input: reportFindingsInputSchema, output: reportFindingsOutputSchema },
  ReportFindingsView,
);

/** The severities in the order of the view, with their words for a person. */
const severities = [
  ['important', 'Important'],
  [undefined, 'Findings'],
  ['pre_existing', 'There before the change'],
  ['nit', 'Small things'],
] as const;

const outcomes = { fixed: 'fixed', skipped: 'left', no_change_needed: 'no change needed' } as const;

const verdicts = { CONFIRMED: 'confirmed', PLAUSIBLE: 'plausible' } as const;

function ReportFindingsView({
  call,
}: {
  readonly call: ParsedCall<ReportFindingsInput, ReportFindingsOutput>;
}) {
  const { input, output, state } = call;
  const findings = output?.findings ?? [];
  const count = output?.count ?? input.findings?.length;
  const level = output?.level ?? input.level;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Reporting', output ? 'Review' : 'Report')}
      detail={level !== undefined && `level ${level}`}
      meta={count === undefined ? undefined : describeCount(count)}
      isOpen
    >
      {/* Without findings there is nothing to unfold. */}
      {findings.length > 0 &&
        severities.map(([severity, title]) => (
          <Group
            key={title}
            title={title}
            findings={findings.filter((one) => one.severity === severity)}
          />
        ))}
    </CallFrame>
  );
}

function Group({ title, findings }: { readonly title: string; readonly findings: Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <div role="group" aria-label={title}>
      <strong>{title}</strong>
      <LongList items={findings} step={50} noun="findings">
        {(shown) => (
          <ul className="rp-files">
            {shown.map((finding, index) => (
              <li key={index}>
                <FileLink
                  path={finding.file}
                  {...(finding.line !== undefined && { line: finding.line })}
                />{' '}
                {finding.summary} {describeMarks(finding)}
                <p className="rp-note">{finding.failure_scenario}</p>
              </li>
            ))}
          </ul>
        )}
      </LongList>
    </div>
  );
}

function describeMarks({ category, verdict, outcome }: Finding): string {
  const marks = [category, verdict && verdicts[verdict], outcome && outcomes[outcome]];
  const said = marks.filter((mark) => mark !== undefined && mark !== '');
  return said.length === 0 ? '' : `(${said.join(', ')})`;
}

function describeCount(count: number): string {
  if (count === 0) return 'nothing found';
  return count === 1 ? '1 finding' : `${count} findings`;
}
