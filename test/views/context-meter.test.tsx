import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ContextMeter } from '../../src/react/components/context-meter.tsx';

const usage = {
  model: 'm',
  totalTokens: 24_000,
  maxTokens: 200_000,
  percentage: 12,
  autoCompactThreshold: 170_000,
  categories: [{ name: 'prompts', tokens: 4_000 }],
};
const show = (given: object) =>
  renderToStaticMarkup(<ContextMeter usage={{ ...usage, ...given }} />);

it('says how full the window is, and what takes it', () => {
  const markup = show({});
  expect(markup).toContain('role="meter"');
  expect(markup).toContain('aria-valuenow="12"');
  expect(markup).toContain('aria-valuetext="12 %, 24,000 of 200,000 tokens"');
  expect(markup).toContain('prompts: about 4,000');
  expect(markup).toContain('width:12%');
});

it('says so shortly before the conversation is summed up', () => {
  expect(show({ totalTokens: 152_000, percentage: 76 })).not.toContain('summed up soon');
  expect(show({ totalTokens: 153_000, percentage: 76.5 })).toContain('summed up soon');
});

it('shows nothing while the window is not known', () => {
  const { model, totalTokens, categories } = usage;
  const unknown = { model, totalTokens, categories };
  expect(renderToStaticMarkup(<ContextMeter usage={unknown} />)).toBe('');
  expect(renderToStaticMarkup(<ContextMeter usage={undefined} />)).toBe('');
});
