// rockpool/react: a session on a page. The stores of rockpool/stores, components over them, and the kit that
// a host's own views are made of. Renders a local and a remote session alike: it imports no agent.
import './core/symbol-dispose.ts';
export * from './stores.ts';
export {
  useContextUsage,
  usePermissionQuestions,
  useSession,
  useWaitingPrompts,
} from './react/use-session.ts';

export { GoalLine } from './react/components/goal-line.tsx';
export type { GoalLineProps } from './react/components/goal-line.tsx';
export { RunningTasks } from './react/components/running-tasks.tsx';
export type { RunningTasksProps } from './react/components/running-tasks.tsx';
export { McpAppsContext } from './react/apps/apps-context.ts';
export type { McpApps } from './react/apps/apps-context.ts';
export { Composer } from './react/components/composer.tsx';
export type { ComposerProps } from './react/components/composer.tsx';
export type { CompleteCommand } from './react/components/argument-values.ts';
export type { ReadImage, TakeFile } from './react/components/prompt-files.tsx';
export { ContextMeter } from './react/components/context-meter.tsx';
export type { ContextMeterProps } from './react/components/context-meter.tsx';
export { isTyping } from './react/components/is-typing.ts';
export { PermissionCard } from './react/components/permission-card.tsx';
export type { PermissionCardProps } from './react/components/permission-card.tsx';
export type { QuestionDraft, QuestionDrafts } from './react/kit/use-kept.ts';
export { StatusLine } from './react/components/status-line.tsx';
export type { StatusLineProps } from './react/components/status-line.tsx';
export { TaskList } from './react/components/task-list.tsx';
export type { TaskListProps } from './react/components/task-list.tsx';
export { TimelineLanes } from './react/components/timeline.tsx';
export type { TimelineLanesProps } from './react/components/timeline.tsx';
export { ToolCall } from './react/components/tool-call.tsx';
export type { ToolCallProps } from './react/components/tool-call.tsx';
export { Transcript } from './react/components/transcript.tsx';
export type { TranscriptProps } from './react/components/transcript.tsx';

export { CallFrame, ToolsContext } from './react/kit/call-frame.tsx';
export type { CallFrameProps } from './react/kit/call-frame.tsx';
export { CodeBlock } from './react/kit/code-block.tsx';
export type { CodeBlockProps } from './react/kit/code-block.tsx';
export { Collapsible } from './react/kit/collapsible.tsx';
export type { CollapsibleProps } from './react/kit/collapsible.tsx';
export { defineView } from './react/kit/define-view.tsx';
export type {
  EditableText,
  ParsedCall,
  ToolView,
  ToolViewModule,
  ToolViewProps,
  ToolViews,
  ViewSchemas,
} from './react/kit/define-view.tsx';
export { Diff, DiffStat } from './react/kit/diff.tsx';
export type { DiffProps } from './react/kit/diff.tsx';
export { FileChanges } from './react/kit/file-changes.tsx';
export { FileLink, OpenFileContext } from './react/kit/file-link.tsx';
export type { FileLinkProps, OpenFile } from './react/kit/file-link.tsx';
export { Markdown } from './react/kit/markdown.tsx';
export { FileList, Matches } from './react/kit/matches.tsx';
export type { MatchesProps, MatchLine } from './react/kit/matches.tsx';
export type { QuestionForm, QuestionFormProps } from './react/kit/question-form.ts';
export { PlainCall } from './react/kit/plain-call.tsx';

export { toolViews } from './tools/views.ts';
