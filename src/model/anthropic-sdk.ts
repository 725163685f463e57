// The parts of Anthropic's SDK that Rockpool uses. The build also makes one file of it,
// `anthropic-sdk.bundle.js`, for pages without a bundler. Some packages that the SDK imports are
// CommonJS, which no browser loads.
export { APIError, BaseAnthropic } from '@anthropic-ai/sdk';
