import { createORPCClient } from '@orpc/client';
import type { ContractRouterClient } from '@orpc/contract';
import type { Contract } from '#shared/contract/index.ts';
import { connectToCore } from '../../../renderer/api/transport.ts';

declare global {
  interface Window {
    core: ContractRouterClient<Contract>;
    lost: boolean;
    violations: string[];
  }
}

window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.effectiveDirective));
const { link, onLost } = await connectToCore();
onLost(() => {
  window.lost = true;
});
window.core = createORPCClient(link);
