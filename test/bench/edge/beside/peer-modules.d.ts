// As much of the edge bench's peers as is used. They aren't installed where types are checked:
// ../../peers/build-isolate-peers.ts resolves these names.

declare module 'peer:@cloudflare/shell' {
  export class Workspace {
    constructor(options: { readonly sql: unknown });
    mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
    writeFile(path: string, content: string): Promise<void>;
    readFile(path: string): Promise<string | null>;
    readDir(path: string, options?: { readonly limit?: number }): Promise<readonly unknown[]>;
    stat(path: string): Promise<{ readonly size: number } | null>;
  }
}

declare module 'peer:@cloudflare/computer' {
  export class Workspace {
    constructor(options: { readonly storage: unknown });
    readonly fs: {
      mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
      writeFile(path: string, content: string): Promise<void>;
      readFile(path: string, encoding: 'utf8'): Promise<string>;
      readdir(path: string): Promise<readonly unknown[]>;
      stat(path: string): Promise<{ readonly size: number }>;
    };
  }
}

declare module 'peer:@cloudflare/think' {
  export class Think {
    readonly ctx: { abort(reason: string): void };
    readonly workspace: {
      readonly fs: { readFile(path: string, encoding: 'utf8'): Promise<string> };
    };
    getModel(): unknown;
    chat(
      message: string,
      callback: {
        onStart(): void;
        onEvent(json: string): void;
        onDone(): void;
        onError(error: string): void;
      },
    ): Promise<void>;
  }
}

declare module 'peer:agents' {
  export function getAgentByName<Agent>(namespace: unknown, name: string): Promise<Agent>;
}
