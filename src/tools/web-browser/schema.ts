// WebBrowser's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const webBrowserActions = [
  'open',
  'read',
  'screenshot',
  'click',
  'type',
  'press',
  'console',
] as const;

export type WebBrowserAction = (typeof webBrowserActions)[number];

export const webBrowserInputSchema = lazySchema(() =>
  z.strictObject({
    action: z
      .enum(webBrowserActions)
      .describe('What to do with the page. open comes first, and again after files were changed.'),
    path: z.string().min(1).optional().describe('open: the HTML file, such as index.html.'),
    ref: z
      .string()
      .min(1)
      .optional()
      .describe('click, type: the element, by its ref in the last answer. press: optional.'),
    text: z
      .string()
      .optional()
      .describe('type: what the field holds then; for a list of options, one of them.'),
    key: z
      .string()
      .min(1)
      .optional()
      .describe('press: a key by its name, such as Enter, Tab, Escape, ArrowDown or a.'),
  }),
);

export type WebBrowserInput = z.output<ReturnType<typeof webBrowserInputSchema>>;

export const webBrowserOutputSchema = lazySchema(() =>
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('page'),
      /** The absolute path of the HTML file. */
      path: z.string(),
      title: z.string(),
      /** An element a line: role, name, states and ref. */
      tree: z.string(),
      /** Messages of the console that weren't read yet. */
      unread: z.strictObject({ errors: z.number(), others: z.number() }),
    }),
    z.strictObject({
      type: z.literal('picture'),
      path: z.string(),
      /** A PNG in base64. */
      base64: z.string(),
      width: z.number(),
      height: z.number(),
      /** Pixels of the page that are below the picture, and to its right. */
      rest: z.strictObject({ below: z.number(), right: z.number() }),
      /** How many of them the picture doesn't show. */
      missing: z.strictObject({ videos: z.number(), frames: z.number(), canvases: z.number() }),
    }),
    z.strictObject({
      type: z.literal('console'),
      path: z.string(),
      /** Messages since the console was last read, oldest first. */
      messages: z.array(
        z.strictObject({
          level: z.enum(['debug', 'log', 'info', 'warn', 'error', 'request']),
          text: z.string(),
        }),
      ),
      /** The number of older messages that weren't kept. */
      dropped: z.number(),
    }),
  ]),
);

export type WebBrowserOutput = z.output<ReturnType<typeof webBrowserOutputSchema>>;
