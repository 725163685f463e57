// AskUserQuestion, as the agent knows it. A person's answer to the permission question is its answer.
import { ToolError } from '../../core/errors.ts';
import { toSummary } from '../../core/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { findAnswerMistake, findQuestionMistake } from './check-answers.ts';
import {
  askUserQuestionDescription,
  askUserQuestionPrompt,
  askUserQuestionToolName,
  nobodyAnswers,
} from './prompt.ts';
import {
  askUserQuestionAnswerSchema,
  askUserQuestionInputSchema,
  askUserQuestionOutputSchema,
  type AnsweredInput,
  type AskUserQuestionInput,
  type AskUserQuestionOutput,
} from './schema.ts';

export const askUserQuestionTool = buildTool({
  name: askUserQuestionToolName,
  searchHint: 'ask the user to choose or decide',
  get inputSchema() {
    return askUserQuestionInputSchema();
  },
  get answerSchema() {
    return askUserQuestionAnswerSchema();
  },
  get outputSchema() {
    return askUserQuestionOutputSchema();
  },

  description: (input) =>
    Promise.resolve(
      input
        ? input.questions.map(({ question }) => question).join('\n')
        : askUserQuestionDescription,
    ),
  prompt: () => Promise.resolve(askUserQuestionPrompt),

  validateInput(input: AnsweredInput) {
    const isAnswered = input.answers !== undefined || input.annotations !== undefined;
    const message =
      findQuestionMistake(input) ?? (isAnswered ? findAnswerMistake(input) : undefined);
    return Promise.resolve(
      message === undefined ? { result: true } : { result: false, errorCode: 1, message },
    );
  },
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  requiresUserInteraction: () => true,
  refuseUnattended: () => ({ message: nobodyAnswers }),

  call(input: AnsweredInput) {
    const mistake = findAnswerMistake(input);
    if (mistake !== undefined) return Promise.reject(new ToolError(mistake));
    const { questions, answers = {}, annotations } = input;
    return Promise.resolve({ data: { questions, answers, ...(annotations && { annotations }) } });
  },

  userFacingName: () => 'Question',
  getToolUseSummary: ({ questions = [] }) =>
    toSummary(questions.map(({ question }) => question).join(' ')) || null,
  getActivityDescription: () => 'Waiting for an answer',
  genToolPermission: ({ questions }) => ({
    title: questions.length === 1 ? 'A question' : `${questions.length} questions`,
    content: questions.map(({ question }) => question).join('\n'),
  }),
  extractSearchText: ({ answers }) => Object.entries(answers).flat().join('\n'),
  toAutoClassifierInput: () => '',

  mapToolResultToToolResultBlockParam: ({ questions, answers, annotations }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: `The user has answered:\n\n${questions
      .map(({ question }) => describeAnswer(question, answers, annotations))
      .join('\n\n')}`,
  }),
} satisfies ToolDef<ReturnType<typeof askUserQuestionInputSchema>, AskUserQuestionOutput>);

function describeAnswer(
  question: AskUserQuestionInput['questions'][number]['question'],
  answers: AskUserQuestionOutput['answers'],
  annotations: AskUserQuestionOutput['annotations'] = {},
): string {
  const { notes, preview } = annotations[question] ?? {};
  return [
    `${question}\n→ ${answers[question]}`,
    ...(preview ? [`What they saw of it:\n${preview}`] : []),
    ...(notes ? [`Their notes: ${notes}`] : []),
  ].join('\n');
}
