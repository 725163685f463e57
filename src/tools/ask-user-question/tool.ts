// The definition of the tool AskUserQuestion. A person's answer to the permission question contains
// the answers.
import { ToolError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
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
    return toValidation(message);
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
    title:
      questions.length === 1
        ? 'Will you answer a question?'
        : `Will you answer ${questions.length} questions?`,
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

/** The error as a sentence. Undefined: all questions are different. */
function findQuestionMistake({ questions }: Pick<AnsweredInput, 'questions'>): string | undefined {
  const texts = questions.map(({ question }) => question);
  const twice = findTwice(texts);
  if (twice !== undefined) return `"${twice}" is asked twice: ask each question once.`;
  for (const { question, options } of questions) {
    const label = findTwice(options.map((option) => option.label));
    if (label !== undefined) {
      return `"${question}" has the option "${label}" twice: give each a label of its own.`;
    }
  }
  return undefined;
}

/** The error as a sentence. Undefined: exactly the questions have answers. */
function findAnswerMistake({ questions, answers, annotations }: AnsweredInput): string | undefined {
  if (!answers) {
    return 'The questions were allowed, but none was answered: an answer brings `answers`, by each question’s text, in its updatedInput. Ask again, or decide by yourself and say what you assumed.';
  }
  const asked = new Set(questions.map(({ question }) => question));
  const foreign = [...Object.keys(answers), ...Object.keys(annotations ?? {})].find(
    (question) => !asked.has(question),
  );
  if (foreign !== undefined) {
    return `The answers name "${foreign}", which nobody asked. They must name the questions by their texts. Ask again.`;
  }
  const missing = [...asked].find((question) => (own(answers, question) ?? '').trim() === '');
  if (missing === undefined) return undefined;
  return `"${missing}" has no answer. Ask again, or decide by yourself and say what you assumed.`;
}

/** Security: a question may have the name of an inherited member of objects. */
function own(answers: Readonly<Record<string, string>>, question: string): string | undefined {
  return Object.hasOwn(answers, question) ? answers[question] : undefined;
}

function findTwice(texts: readonly string[]): string | undefined {
  return texts.find((text, at) => texts.indexOf(text) !== at);
}
