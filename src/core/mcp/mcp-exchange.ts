// What is exchanged with an MCP server beside calls of its tools, as plain data. There are requests
// to it, its requests during a call, and its notifications. The port of mcp-server.ts carries them.
// The agent makes resources, commands, questions and skills of them.
import type { ImageBlock, TextBlock } from '../messages/blocks.ts';
import type { McpAppPage } from './mcp-app.ts';

/** Something that a server gives to read. Texts are the server's words, cut and without control characters. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
}

/** Many resources by one form, such as `file:///{path}` (RFC 6570). */
export interface McpResourceTemplate extends Omit<McpResource, 'uri'> {
  readonly uriTemplate: string;
}

/** One part of what was read: text, or bytes in base64. */
export interface McpResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** A resource as its server gave it. `blob` is base64. */
export interface SDKControlMcpReadResourceResponse {
  readonly contents: readonly McpResourceContents[];
}

/** A prompt that a server has written, for a person to choose. */
export interface McpPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly isRequired: boolean;
  }[];
}

/** One message of a prompt. What a model can't be shown is told of in words. */
export interface McpPromptMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly (TextBlock | ImageBlock)[];
}

/** A skill that a server offers (SEP-2640): its entry, as the server wrote it. */
export interface McpSkill {
  readonly name: string;
  readonly description: string;
  readonly uri: string;
}

/** What a server offers besides tools. */
export interface McpExtras {
  readonly hasResources: boolean;
  readonly hasSkills: boolean;
  readonly prompts: readonly McpPrompt[];
}

/** What a server may be asked. */
export type McpRequest =
  | { readonly type: 'list-resources' }
  | { readonly type: 'read-resource'; readonly uri: string }
  | { readonly type: 'read-directory'; readonly uri: string }
  /** The page that shows a tool's calls. */
  | { readonly type: 'read-app'; readonly uri: string }
  /** All that it is to tell changes of, in the place of those before. */
  | { readonly type: 'watch-resources'; readonly uris: readonly string[] }
  | {
      readonly type: 'get-prompt';
      readonly name: string;
      readonly arguments: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'complete';
      /** A prompt's name, or a template. */
      readonly of: { readonly prompt: string } | { readonly uriTemplate: string };
      readonly argument: string;
      /** What is written of it by now. */
      readonly value: string;
      /** The other arguments, as far as they are known. */
      readonly others: Readonly<Record<string, string>>;
    }
  | { readonly type: 'list-skills' }
  | { readonly type: 'read-skill'; readonly uri: string };

/** What comes of each. */
export interface McpAnswers {
  readonly 'list-resources': {
    readonly resources: readonly McpResource[];
    readonly templates: readonly McpResourceTemplate[];
  };
  readonly 'read-resource': readonly McpResourceContents[];
  readonly 'read-directory': readonly McpResource[];
  readonly 'read-app': McpAppPage & { readonly prefersBorder?: boolean };
  readonly 'watch-resources': null;
  readonly 'get-prompt': readonly McpPromptMessage[];
  /** Values that the argument may have. */
  readonly complete: readonly string[];
  readonly 'list-skills': readonly McpSkill[];
  /** The text of SKILL.md, whose digest was compared. */
  readonly 'read-skill': string;
}

export type McpAnswer<R extends McpRequest> = McpAnswers[R['type']];

/**
 * Asks a server. Rejects with `mcp-failed`, `limit-exceeded` or `aborted`. What it gives is checked and bounded.
 */
export type AskMcpServer = <const R extends McpRequest>(
  request: R,
  signal: AbortSignal,
) => Promise<McpAnswer<R>>;

/** What a server wants of the person, in the Claude Agent SDK's words. */
export interface ElicitationRequest {
  readonly serverName: string;
  readonly message: string;
  /** `form` where it is left out. */
  readonly mode?: 'form' | 'url';
  /** For `url`: an absolute `https:` address. */
  readonly url?: string;
  readonly elicitationId?: string;
  /** For `form`: a JSON Schema of one object with plain fields. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
}

/** `decline`: they said no. `cancel`: they said nothing. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The fields of a form that was accepted. */
  readonly content?: Readonly<Record<string, ElicitedValue>>;
}

/** The value of one field; a choice of several is a list. */
export type ElicitedValue = string | number | boolean | readonly string[];

/** Asks the person. `signal` is aborted when the call that asks is over. */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { readonly signal: AbortSignal },
) => Promise<ElicitationResult>;

/** What a server wants of the host's model. */
export interface McpSampling {
  readonly messages: readonly McpPromptMessage[];
  readonly systemPrompt?: string;
  readonly maxTokens: number;
}

/** What comes of it. */
export interface McpSampled {
  readonly model: string;
  readonly text: string;
  readonly stopReason: 'endTurn' | 'maxTokens';
}

/** What a server asks in the midst of a call. */
export type McpQuestion =
  | ({ readonly type: 'elicit' } & Omit<ElicitationRequest, 'serverName'>)
  | ({ readonly type: 'sample' } & McpSampling);

/** `refused`: with a sentence that the server is told. */
export type McpQuestionAnswer =
  | { readonly type: 'elicited'; readonly result: ElicitationResult }
  | { readonly type: 'sampled'; readonly result: McpSampled }
  | { readonly type: 'refused'; readonly message: string };

/** What a server tells of itself. */
export type McpEvent =
  | { readonly type: 'resource-updated'; readonly uri: string }
  | { readonly type: 'resources-changed' }
  | { readonly type: 'log'; readonly level: string; readonly text: string };

/** What a server is told that it may ask for. */
export interface McpAbilities {
  /** There is a model for it. */
  readonly samples: boolean;
  /** There is a screen for its apps. */
  readonly showsApps?: boolean;
  /** The session's working directory. */
  readonly root: string;
}
