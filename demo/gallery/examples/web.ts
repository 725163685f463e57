// Calls of the tools that read the web.
import type { WebFetchInput, WebFetchOutput } from '../../../src/tools/web-fetch/schema.ts';
import type { WebSearchInput, WebSearchOutput } from '../../../src/tools/web-search/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const page = 'https://tides.example/tables/july';

export const webFetchExample: ToolExample<WebFetchInput, WebFetchOutput> = {
  input: { url: page, prompt: 'When is high water on the 4th?' },
  output: {
    bytes: 48_213,
    code: 200,
    codeText: 'OK',
    result: 'High water is at **11:52** and at **23:58**, as the table "July" says.',
    durationMs: 1_840,
    url: page,
  },
  progress: [
    { activity: 'Reading tides.example' },
    { activity: 'Asking claude-haiku-4-5 about 18204 characters' },
  ],
  failure: 'fetch of https://tides.example/tables/july failed: the server could not be reached.',
  variants: {
    'a page that has moved': {
      output: {
        ...{ bytes: 0, code: 301, codeText: 'Moved Permanently', durationMs: 210, url: page },
        result:
          'The page has moved to another host, and nothing was read. If you want it, call WebFetch with https://water.example/july',
      },
    },
    'a part of a page without a small model': {
      input: { url: page, prompt: 'What is on the 20th?', offset: 40_000 },
      output: {
        ...{ bytes: 148_213, code: 200, codeText: 'OK', durationMs: 430, url: page },
        result:
          'No small model is at hand, so this is the text of the page:\n<page url="https://tides.example/tables/july">\n| Day | High |\n| --- | --- |\n| 20 | 01:14 |\n</page>',
      },
    },
  },
};

const search: WebSearchInput = { query: 'tide tables July', allowed_domains: ['tides.example'] };

export const webSearchExample: ToolExample<WebSearchInput, WebSearchOutput> = {
  input: search,
  output: {
    query: search.query,
    results: [
      {
        tool_use_id: 'srvtoolu_1',
        content: [
          { title: 'Tables for July', url: page, snippet: 'High and low water, day by day.' },
          { title: 'How tables are made', url: 'https://tides.example/about' },
        ],
      },
      'The tables for July are at **tides.example**, day by day.',
    ],
    durationSeconds: 3.2,
    searchCount: 1,
  },
  failure: 'claude-sonnet-5 did not search the web. A search failed: unavailable.',
  variants: {
    'a search that found nothing': {
      input: { query: 'tides of the moon', blocked_domains: ['tides.example'] },
      output: {
        query: 'tides of the moon',
        results: [{ tool_use_id: 'toolu_1', content: [] }],
        durationSeconds: 0.4,
        searchCount: 1,
      },
    },
  },
};
