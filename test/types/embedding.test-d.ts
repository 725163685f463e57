// What a host writes down with types: blocks that can be told apart, and the names of what it gives and gets.
import { expectTypeOf } from 'vitest';
import type { HostGitSettings, WebHostOptions } from '../../src/browser.ts';
import { isTextBlock, isToolUseBlock } from '../../src/index.ts';
import type {
  AskUserQuestionAnswer,
  EditInput,
  EditOutput,
  OutputFormat,
  ProactiveOptions,
  Query,
  QueryOptions,
  SDKAssistantMessage,
  SDKControlGetContextUsageResponse,
  SDKControlInterruptResponse,
  SDKMessage,
  SDKPromptSuggestionMessage,
  TriggersOptions,
} from '../../src/index.ts';
import type { FormAnswer, QuestionForm, ToolViewModule, ToolViews } from '../../src/react.ts';

declare const message: SDKAssistantMessage;
const { content } = message.message;
expectTypeOf(content.filter(isTextBlock).map(({ text }) => text)).toEqualTypeOf<string[]>();
expectTypeOf(content.filter(isToolUseBlock).map(({ name }) => name)).toEqualTypeOf<string[]>();

expectTypeOf<SDKPromptSuggestionMessage>().toExtend<SDKMessage>();
expectTypeOf<Query['interrupt']>().returns.resolves.toEqualTypeOf<
  SDKControlInterruptResponse | undefined
>();
expectTypeOf<
  Query['getContextUsage']
>().returns.resolves.toEqualTypeOf<SDKControlGetContextUsageResponse>();
expectTypeOf<OutputFormat>().toExtend<QueryOptions['outputFormat']>();
expectTypeOf<ProactiveOptions>().toExtend<QueryOptions['proactive']>();
expectTypeOf<TriggersOptions>().toExtend<QueryOptions['triggers']>();
expectTypeOf<EditInput['old_string']>().toEqualTypeOf<string>();
expectTypeOf<EditOutput['filePath']>().toEqualTypeOf<string>();
expectTypeOf<keyof AskUserQuestionAnswer>().toExtend<
  'questions' | 'answers' | 'annotations' | 'metadata'
>();
expectTypeOf<ToolViews>().toExtend<Readonly<Record<string, () => Promise<ToolViewModule>>>>();
expectTypeOf<ToolViewModule['form']>().toEqualTypeOf<QuestionForm | undefined>();
expectTypeOf<FormAnswer>().not.toBeAny();
expectTypeOf<HostGitSettings | WebHostOptions>().not.toBeAny();
