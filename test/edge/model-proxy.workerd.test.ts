// The model proxy in an isolate.
import { describeModelProxy } from '../contract/model-proxy.contract.ts';

describeModelProxy();
