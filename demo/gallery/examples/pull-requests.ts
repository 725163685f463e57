// Calls of the tools by which pull requests are watched and proposed.
import type {
  SubscribePrInput,
  SubscribePrOutput,
} from '../../../src/tools/subscribe-pr/schema.ts';
import type { SuggestPrInput, SuggestPrOutput } from '../../../src/tools/suggest-pr/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const name = { repository: 'ann/tides', number: 7 };

export const subscribePrExample: ToolExample<SubscribePrInput, SubscribePrOutput> = {
  input: name,
  output: {
    ...name,
    status: 'subscribed',
    title: 'Round durations down',
    state: 'open',
    comments: 3,
    reviews: 1,
    checks: 4,
  },
  failure:
    'api.github.com has nothing at /repos/ann/tides/pulls/7 (404), or hides it from those who may not see it: check the name and the credentials.',
  variants: {
    'a subscription that ends': {
      input: { ...name, unsubscribe: true },
      output: { ...name, status: 'unsubscribed' },
    },
    'one that is merged': {
      output: {
        ...{ ...name, status: 'not-open', title: 'Round durations down', state: 'merged' },
        ...{ comments: 5, reviews: 2, checks: 4 },
      },
    },
  },
};

export const suggestPrExample: ToolExample<SuggestPrInput, SuggestPrOutput> = {
  input: {
    repository: 'ann/tides',
    branch: 'round-down',
    base: 'main',
    title: 'Round durations down',
    body: '59 minutes and 30 seconds were shown as 1h.\n\n- `formatDuration` rounds **down**.\n- A test for each unit.',
  },
  output: {
    status: 'made',
    number: 8,
    url: 'https://github.com/ann/tides/pull/8',
    diff: '--- a/src/format.ts\n+++ b/src/format.ts\n@@ -1,1 +1,1 @@\n-  return Math.round(minutes);\n+  return Math.floor(minutes);',
  },
  failure:
    'api.github.com refuses it: Validation Failed; A pull request already exists for ann:round-down.',
  variants: { 'one that the host has noted': { output: { status: 'noted' } } },
};
