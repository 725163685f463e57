// What our bridge says to apps is what the protocol's own types have of it: of its package nothing but types is used.
import type {
  McpUiDisplayMode,
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiMessageRequest,
  McpUiOpenLinkRequest,
  McpUiRequestDisplayModeRequest,
  McpUiToolMeta,
  McpUiUpdateModelContextRequest,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import { describe, expectTypeOf, it } from 'vitest';
import type { AppContext, AppDisplayMode } from '../../src/react/apps/app-bridge.ts';

describe('the bridge of apps', () => {
  it('tells an app what the protocol has of the page around it', () => {
    expectTypeOf<AppContext['theme']>().toExtend<McpUiHostContext['theme']>();
    expectTypeOf<AppDisplayMode>().toExtend<McpUiDisplayMode>();
    expectTypeOf<AppContext['locale']>().toExtend<McpUiHostContext['locale']>();
  });

  it('hears the protocol’s requests by their names', () => {
    expectTypeOf<
      | McpUiInitializeRequest['method']
      | McpUiMessageRequest['method']
      | McpUiOpenLinkRequest['method']
      | McpUiRequestDisplayModeRequest['method']
      | McpUiUpdateModelContextRequest['method']
    >().toEqualTypeOf<
      | 'ui/initialize'
      | 'ui/message'
      | 'ui/open-link'
      | 'ui/request-display-mode'
      | 'ui/update-model-context'
    >();
    expectTypeOf<NonNullable<McpUiToolMeta['visibility']>[number]>().toEqualTypeOf<
      'model' | 'app'
    >();
  });
});
