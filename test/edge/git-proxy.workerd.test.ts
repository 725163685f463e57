// The git proxy in an isolate.
import { describeGitProxy } from '../contract/git-proxy.contract.ts';

describeGitProxy();
