// What Rockpool uses of Anthropic's SDK. The build also makes one file of it,
// `anthropic-sdk.bundle.js`, for pages without a bundler. Some packages that the SDK imports are
// CommonJS, which no browser loads.
export { APIError, BaseAnthropic } from '@anthropic-ai/sdk';
