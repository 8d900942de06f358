import type { ClientInstall, ClientUnavailable } from '../install.ts';
import { judge } from './cell.ts';
import type { Cell } from './cell.ts';
import type { ClientDriver } from './driver.ts';
import { openStage } from './stage.ts';
import type { Story } from './stories.ts';
import { openDirectWorld, openGatewayWorld } from './world.ts';

/** One client in two worlds: with the provider alone, and with the gateway before it. */
export interface Pair extends AsyncDisposable {
  /** Plays a story in both worlds at once and compares them. */
  play(story: Story): Promise<Cell>;
}

export async function openPair(
  driver: ClientDriver,
  install: ClientInstall | ClientUnavailable,
): Promise<Pair | ClientUnavailable> {
  if ('unavailable' in install) return install;
  await using stack = new AsyncDisposableStack();
  const direct = stack.use(await openDirectWorld());
  const gateway = stack.use(await openGatewayWorld());
  const directStage = stack.use(await openStage(driver, install, direct));
  const gatewayStage = stack.use(await openStage(driver, install, gateway));
  const opened = stack.move();
  return {
    async play(story) {
      const inability = story.inability?.(driver);
      if (inability !== undefined) return { type: 'absent', why: inability.why };
      const evidences = await Promise.all([directStage.play(story), gatewayStage.play(story)]);
      return judge({ driver, story }, ...evidences);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
