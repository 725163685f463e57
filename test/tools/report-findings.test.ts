// ReportFindings: what the host gets as data, and what isn't taken.
import { describe, expect, it } from 'vitest';
import { reportFindingsExample } from '../../demo/gallery/examples/session.ts';
import { reportFindingsInputSchema } from '../../src/tools/report-findings/schema.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, playTurns, says } from '../support/turns/play-turns.ts';

const finding = { file: 'a.ts', summary: 'Wrong.', failure_scenario: 'Always.' };

/** One turn that reports, in plan mode, in which nothing is asked and nothing may change. */
async function report(input: object) {
  const model = listModel('list', [asks(toolUse('r', 'ReportFindings', input)), says('Done.')]);
  const { messages } = await playTurns({ model, toolSearch: false, permissionMode: 'plan' });
  const told = messages.flatMap((one) =>
    one.type === 'user' && one.tool_use_result ? [one] : [],
  )[0];
  return { output: told?.tool_use_result, sent: JSON.stringify(model.requests[1]?.messages) };
}

describe('ReportFindings', () => {
  it('gives the host the findings, with the files as it opens them', async () => {
    const { output, sent } = await report(reportFindingsExample.input);
    expect(output).toEqual(reportFindingsExample.output);
    expect(sent).toContain('The user is shown 3 findings.');
  });

  it('says so where there is none', async () => {
    const { output, sent } = await report({ findings: [] });
    expect(output).toEqual({ count: 0, findings: [] });
    expect(sent).toContain('The user is told that nothing was found.');
  });

  it.each<[string, object]>([
    ['a finding without a failure', { ...finding, failure_scenario: undefined }],
    ['one without a file', { ...finding, file: '' }],
    ['line 0', { ...finding, line: 0 }],
    ['a severity that there isn’t', { ...finding, severity: 'high' }],
    ['a field that it doesn’t know', { ...finding, fix: 'x' }],
  ])('refuses %s', (_what, one) => {
    const parse = (findings: readonly object[]) =>
      reportFindingsInputSchema().safeParse({ findings }).success;
    expect([parse([finding]), parse([one])]).toEqual([true, false]);
  });
});
