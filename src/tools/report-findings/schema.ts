// ReportFindings' input and output: the Claude Agent SDK's, with limits of ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

const level = () => z.enum(['low', 'medium', 'high', 'xhigh', 'max']);

// 4 000 characters: some paragraphs. Longer texts are a report, not a finding.
const text = () => z.string().min(1).max(4_000);

const finding = () =>
  z.strictObject({
    file: z.string().min(1).describe('The file: absolute, or relative to the working directory.'),
    line: z.number().int().min(1).optional().describe('The line, from 1.'),
    summary: text().describe('What is wrong, in a sentence.'),
    short_summary: z.string().max(200).optional().describe('The same in a few words.'),
    failure_scenario: text().describe('When it goes wrong, and what happens then.'),
    category: z.string().max(100).optional().describe('Its kind: correctness, security, …'),
    severity: z
      .enum(['important', 'pre_existing', 'nit'])
      .optional()
      .describe('pre_existing: it was there before the change.'),
    verdict: z
      .enum(['CONFIRMED', 'PLAUSIBLE'])
      .optional()
      .describe('CONFIRMED: you have seen it go wrong, or shown that it must.'),
    outcome: z
      .enum(['fixed', 'skipped', 'no_change_needed'])
      .optional()
      .describe('What you have done about it.'),
  });

export type Finding = z.output<ReturnType<typeof finding>>;

export const reportFindingsInputSchema = lazySchema(() =>
  z.strictObject({
    level: level().optional().describe('How thorough the review was.'),
    findings: z.array(finding()).max(200).describe('All of them, the worst first. Empty: none.'),
  }),
);

export type ReportFindingsInput = z.output<ReturnType<typeof reportFindingsInputSchema>>;

export const reportFindingsOutputSchema = lazySchema(() =>
  z.strictObject({
    count: z.number(),
    level: level().optional(),
    /** The findings as they were reported, but with absolute paths. */
    findings: z.array(finding()),
  }),
);

export type ReportFindingsOutput = z.output<ReturnType<typeof reportFindingsOutputSchema>>;
