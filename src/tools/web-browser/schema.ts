// WebBrowser's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const webBrowserActions = [
  'open',
  'read',
  'find',
  'screenshot',
  'click',
  'hover',
  'drag',
  'type',
  'press',
  'upload',
  'scroll',
  'resize',
  'emulate',
  'wait',
  'dialog',
  'console',
] as const;

export type WebBrowserAction = (typeof webBrowserActions)[number];

export const webBrowserFilters = ['all', 'interactive', 'changed'] as const;

const coordinateSchema = () => z.array(z.number().min(0)).length(2);

/** As a wheel's usual tick scrolls in a browser. */
export const tickPixels = 100;

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
      .describe(
        'click, hover, type, upload, and the end of drag: the element, by its ref in an answer. press, read, scroll, screenshot: optional.',
      ),
    coordinate: coordinateSchema()
      .optional()
      .describe(
        'click, hover, and the end of drag, in place of ref: [x, y] on the screen, in pixels, as for a canvas.',
      ),
    start_ref: z.string().min(1).optional().describe('drag: the element that it begins at.'),
    start_coordinate: coordinateSchema()
      .optional()
      .describe('drag, in place of start_ref: where it begins.'),
    button: z.enum(['left', 'middle', 'right']).optional().describe('click: left by default.'),
    double_click: z.boolean().optional().describe('click: twice.'),
    modifiers: z
      .array(z.enum(['Alt', 'Control', 'Meta', 'Shift']))
      .optional()
      .describe('click: keys that are held meanwhile.'),
    text: z
      .string()
      .optional()
      .describe(
        'type: what the field holds then; for a list of options, one of them. find: what to look for. wait: what appears. dialog: what prompt returns.',
      ),
    text_gone: z.string().min(1).optional().describe('wait: what disappears.'),
    key: z
      .string()
      .min(1)
      .optional()
      .describe('press: a key by its name, such as Enter, ArrowDown or a, also Control+a.'),
    time: z
      .number()
      .positive()
      .max(30)
      .optional()
      .describe('wait: at most so many seconds; 10 by default. press: seconds that it is held.'),
    paths: z
      .array(z.string().min(1))
      .min(1)
      .max(20)
      .optional()
      .describe('upload: files of the workspace.'),
    accept: z
      .boolean()
      .optional()
      .describe('dialog: whether confirm and prompt are accepted, from now on.'),
    scroll_direction: z
      .enum(['up', 'down', 'left', 'right'])
      .optional()
      .describe('scroll: scrolls what is around ref, or the page. Left out: until ref is seen.'),
    scroll_amount: z
      .number()
      .positive()
      .optional()
      .describe(
        `scroll: ticks of a wheel, of ${tickPixels} pixels each. Left out: nearly all that is shown.`,
      ),
    width: z
      .int()
      .min(100)
      .max(4000)
      .optional()
      .describe("resize: the viewport's width in pixels. Left out: as at first."),
    height: z
      .int()
      .min(100)
      .max(4000)
      .optional()
      .describe("resize: the viewport's height. With width only."),
    filter: z
      .enum(webBrowserFilters)
      .optional()
      .describe(
        'What the answer lists of the page: all; only what can be acted on; or only what has changed since it was last listed. all by default.',
      ),
    color_scheme: z
      .enum(['light', 'dark'])
      .optional()
      .describe('emulate: what the page is shown in. Left out: as the user has it.'),
    full_page: z
      .boolean()
      .optional()
      .describe('screenshot: the whole page, made smaller if it is long, and not just the screen.'),
  }),
);

const restSchema = lazySchema(() =>
  z.strictObject({
    above: z.number(),
    below: z.number(),
    left: z.number(),
    right: z.number(),
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
      /** The size of the viewport, and how many pixels of the page are outside of it. */
      view: restSchema().extend({ width: z.number(), height: z.number() }).optional(),
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
      /** Pixels of the page that are outside of the picture. */
      rest: restSchema(),
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
