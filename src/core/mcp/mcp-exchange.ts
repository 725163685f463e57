// The messages between the agent and an MCP server beside calls of tools, as plain data: requests to the server, its
// requests during a call, and its notifications. The port in mcp-server.ts carries them. The agent turns them into
// resources, commands, questions and skills.
import type { ImageBlock, TextBlock } from '../messages/blocks.ts';
import type { McpAppPage } from './mcp-app.ts';

/** A resource of a server. Its texts are the server's words, shortened and without control characters. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
}

/** A template for the addresses of many resources, such as `file:///{path}` (RFC 6570). */
export interface McpResourceTemplate extends Omit<McpResource, 'uri'> {
  readonly uriTemplate: string;
}

/** One part of a resource that was read: text, or bytes in base64. */
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

/** A prompt of a server, which a person may choose as a command. */
export interface McpPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly isRequired: boolean;
  }[];
}

/** One message of a prompt. Content that a model can't see is described in words. */
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

/** The requests to a server. */
export type McpRequest =
  | { readonly type: 'list-resources' }
  | { readonly type: 'read-resource'; readonly uri: string }
  | { readonly type: 'read-directory'; readonly uri: string }
  /** The page that shows a tool's calls. */
  | { readonly type: 'read-app'; readonly uri: string }
  /** The resources whose changes the server should report, in place of those before. */
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
      /** The part of the value that is typed already. */
      readonly value: string;
      /** The other arguments that are known. */
      readonly others: Readonly<Record<string, string>>;
    }
  | { readonly type: 'list-skills' }
  | { readonly type: 'read-skill'; readonly uri: string };

/** The answer to each kind of request. */
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
 * Sends a request to a server. Rejects with `mcp-failed`, `limit-exceeded` or `aborted`. The answer is checked, and
 * its size is limited.
 */
export type AskMcpServer = <const R extends McpRequest>(
  request: R,
  signal: AbortSignal,
) => Promise<McpAnswer<R>>;

/** A server's request to the person, with the Claude Agent SDK's names. */
export interface ElicitationRequest {
  readonly serverName: string;
  readonly message: string;
  /** Left out: `form`. */
  readonly mode?: 'form' | 'url';
  /** For `url`: an absolute `https:` address. */
  readonly url?: string;
  readonly elicitationId?: string;
  /** For `form`: a JSON Schema of one object with plain fields. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
}

/** `decline`: the person refused. `cancel`: the person didn't answer. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The fields of a form that was accepted. */
  readonly content?: Readonly<Record<string, ElicitedValue>>;
}

/** The value of one field. A choice of several options is a list. */
export type ElicitedValue = string | number | boolean | readonly string[];

/** Asks the person. `signal` is aborted when the call that asks is over. */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { readonly signal: AbortSignal },
) => Promise<ElicitationResult>;

/** A server's request to the host's model. */
export interface McpSampling {
  readonly messages: readonly McpPromptMessage[];
  readonly systemPrompt?: string;
  readonly maxTokens: number;
}

/** The model's answer for a server. */
export interface McpSampled {
  readonly model: string;
  readonly text: string;
  readonly stopReason: 'endTurn' | 'maxTokens';
}

/** A server's request during a call. */
export type McpQuestion =
  | ({ readonly type: 'elicit' } & Omit<ElicitationRequest, 'serverName'>)
  | ({ readonly type: 'sample' } & McpSampling);

/** `refused`: with a sentence for the server. */
export type McpQuestionAnswer =
  | { readonly type: 'elicited'; readonly result: ElicitationResult }
  | { readonly type: 'sampled'; readonly result: McpSampled }
  | { readonly type: 'refused'; readonly message: string };

/** A notification of a server. */
export type McpEvent =
  | { readonly type: 'resource-updated'; readonly uri: string }
  | { readonly type: 'resources-changed' }
  | { readonly type: 'log'; readonly level: string; readonly text: string };

/** What a server may request; it is told when it connects. */
export interface McpAbilities {
  /** The host has a model for the server's requests. */
  readonly samples: boolean;
  /** The host can show the server's apps. */
  readonly showsApps?: boolean;
  /** The session's working directory. */
  readonly root: string;
}
