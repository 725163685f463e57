// What a tool's page half reads by is a part of the workspace's own port, which core can't name.
import { expectTypeOf } from 'vitest';
import type { CallFiles, FileSystem, NewMessage, MessageParam, Tool } from '../../src/index.ts';

expectTypeOf<FileSystem>().toExtend<CallFiles>();
expectTypeOf<MessageParam>().toExtend<NewMessage>();
expectTypeOf<Parameters<NonNullable<Tool['call']>>[1]['fs']>().toEqualTypeOf<CallFiles>();
