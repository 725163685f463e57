// The description of ReportFindings for the model.

export const reportFindingsToolName = 'ReportFindings';

export const reportFindingsDescription =
  'Gives the user what a code review has found, as a list that their program can read and show.';

export const reportFindingsPrompt =
  'ReportFindings ends a code review that the user has asked for: give all findings in one call, also where there are none. Each says where it is, what is wrong and when that goes wrong. Check a finding before you report it. After it, add no list of the same in words.';
