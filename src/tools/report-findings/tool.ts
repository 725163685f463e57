// The definition of the tool ReportFindings. It has no worker half, because the findings are its
// output, which the host reads.
import { resolvePath } from '../../core/path.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import {
  reportFindingsDescription,
  reportFindingsPrompt,
  reportFindingsToolName,
} from './prompt.ts';
import {
  reportFindingsInputSchema,
  reportFindingsOutputSchema,
  type ReportFindingsOutput,
} from './schema.ts';

export const reportFindingsTool = buildTool({
  name: reportFindingsToolName,
  searchHint: 'report what a code review found',
  shouldDefer: true,
  get inputSchema() {
    return reportFindingsInputSchema();
  },
  get outputSchema() {
    return reportFindingsOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Report ${count(input.findings.length)}` : reportFindingsDescription),
  prompt: () => Promise.resolve(reportFindingsPrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,

  call: ({ level, findings }, { cwd }) =>
    Promise.resolve({
      data: {
        count: findings.length,
        ...(level && { level }),
        findings: findings.map((one) => ({ ...one, file: resolvePath(cwd, one.file) })),
      },
    }),

  userFacingName: () => 'Findings',
  getToolUseSummary: ({ findings }) => (findings ? count(findings.length) : null),
  getActivityDescription: () => 'Reporting what it found',
  extractSearchText: ({ findings }) =>
    findings.map(({ file, summary }) => `${file}: ${summary}`).join('\n'),

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content:
      output.count === 0
        ? 'The user is told that nothing was found.'
        : `The user is shown ${count(output.count)}.`,
  }),
} satisfies ToolDef<ReturnType<typeof reportFindingsInputSchema>, ReportFindingsOutput>);

function count(findings: number): string {
  if (findings === 0) return 'no findings';
  return findings === 1 ? '1 finding' : `${findings} findings`;
}
