// Config's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** The names of settings. `tool.ts` defines who may set each, and its values. */
export const settingNames = ['model', 'permissionMode', 'thinking', 'title'] as const;

export type SettingName = (typeof settingNames)[number];

export const configInputSchema = lazySchema(() =>
  z.strictObject({
    setting: z.enum(settingNames).describe('Which setting.'),
    value: z.string().optional().describe('What it is to be. Left out: it is only read.'),
  }),
);

export type ConfigInput = z.output<ReturnType<typeof configInputSchema>>;

export const configOutputSchema = lazySchema(() =>
  z.discriminatedUnion('operation', [
    z.strictObject({
      operation: z.literal('get'),
      setting: z.enum(settingNames),
      /** Null: the setting isn't set. */
      value: z.string().nullable(),
      /**
       * The possible values. Left out: any text, or none, because only the host sets the setting.
       */
      choices: z.array(z.string()).optional(),
    }),
    z.strictObject({
      operation: z.literal('set'),
      setting: z.enum(settingNames),
      previousValue: z.string().nullable(),
      newValue: z.string(),
    }),
  ]),
);

export type ConfigOutput = z.output<ReturnType<typeof configOutputSchema>>;
