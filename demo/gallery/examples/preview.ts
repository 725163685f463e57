// Calls of the tool that shows the workspace's own app.
import type { WebBrowserInput, WebBrowserOutput } from '../../../src/tools/web-browser/schema.ts';
import { examplePng } from './files.ts';
import type { ToolExample } from '../tool-example.ts';

const path = '/workspace/index.html';

export const webBrowserExample: ToolExample<WebBrowserInput, WebBrowserOutput> = {
  input: { action: 'open', path: 'index.html' },
  output: {
    type: 'page',
    path,
    title: 'Tides',
    tree: `- heading "Tides" [level=1]
- form
  - textbox "Harbour" [value="Brest"] [ref=e1]
  - button "Show" [ref=e2]
- list
  - listitem: High water 06:12
  - listitem: Low water 12:30`,
    view: { width: 640, height: 480, above: 0, below: 120, left: 0, right: 0 },
    unread: { errors: 1, others: 0 },
  },
  failure:
    "The page didn't answer within 20 s, and was thrown away. Look for an endless loop, mend it, and open the page again.",
  variants: {
    'a click': {
      input: { action: 'click', ref: 'e2' },
      output: {
        ...{ type: 'page', path, title: '', tree: '- paragraph: Loading' },
        unread: { errors: 0, others: 2 },
      },
    },
    'a text': {
      input: { action: 'type', ref: 'e1', text: 'Dover' },
      output: {
        ...{ type: 'page', path, title: 'Tides', unread: { errors: 2, others: 0 } },
        tree: '- textbox "Harbour" [value="Dover"] [focused] [ref=e1]',
      },
    },
    'a key': {
      input: { action: 'press', key: 'Enter' },
      output: { type: 'page', path, title: 'Tides', tree: '', unread: { errors: 0, others: 0 } },
    },
    'a picture': {
      input: { action: 'screenshot' },
      output: {
        ...{ type: 'picture', path, width: 96, height: 48 },
        rest: { above: 0, below: 240, left: 0, right: 0 },
        base64: examplePng,
        missing: { videos: 1, frames: 0, canvases: 0 },
      },
    },
    'all of it': {
      input: { action: 'screenshot', full_page: true },
      output: {
        ...{ type: 'picture', path, width: 96, height: 48, base64: examplePng },
        rest: { above: 0, below: 0, left: 0, right: 0 },
        missing: { videos: 0, frames: 0, canvases: 0 },
      },
    },
    'what is found': {
      input: { action: 'find', text: 'water' },
      output: {
        ...{ type: 'page', path, title: 'Tides', unread: { errors: 0, others: 0 } },
        tree: '- listitem: High water 06:12\n- listitem: Low water 12:30',
      },
    },
    'a way of the pointer': {
      input: { action: 'drag', start_ref: 'e3', coordinate: [320, 40] },
      output: { type: 'page', path, title: 'Tides', tree: '', unread: { errors: 0, others: 0 } },
    },
    'a file': {
      input: { action: 'upload', ref: 'e4', paths: ['tides.csv'] },
      output: { type: 'page', path, title: 'Tides', tree: '', unread: { errors: 0, others: 0 } },
    },
    'a wait': {
      input: { action: 'wait', text_gone: 'Loading' },
      output: { type: 'page', path, title: 'Tides', tree: '', unread: { errors: 0, others: 0 } },
    },
    'an answer to dialogs': {
      input: { action: 'dialog', accept: true },
      output: { type: 'page', path, title: 'Tides', tree: '', unread: { errors: 0, others: 0 } },
    },
    'a scroll': {
      input: { action: 'scroll', ref: 'e3', scroll_direction: 'down' },
      output: {
        ...{ type: 'page', path, title: 'Tides', unread: { errors: 0, others: 0 } },
        tree: '- list [above=120] [below=40] [ref=e3]',
      },
    },
    "a phone's size": {
      input: { action: 'resize', width: 390, height: 844 },
      output: {
        ...{ type: 'page', path, title: 'Tides', tree: '', unread: { errors: 0, others: 0 } },
        view: { width: 390, height: 844, above: 0, below: 0, left: 0, right: 0 },
      },
    },
    'the console': {
      input: { action: 'console' },
      output: {
        ...{ type: 'console', path, dropped: 0 },
        messages: [
          { level: 'log', text: 'ready' },
          { level: 'request', text: "tides.json isn't in the workspace (404)." },
        ],
      },
    },
    'a console without news': {
      input: { action: 'console' },
      output: { type: 'console', path, dropped: 0, messages: [] },
    },
  },
};
