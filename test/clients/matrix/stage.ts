import type { IncomingHttpHeaders } from 'node:http';
import { mkdir, mkdtempDisposable, readdir, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientInstall } from '../install.ts';
import type { UpstreamRequest } from '../upstream.ts';
import type { ClientDriver, Room, Turn } from './driver.ts';
import { playOrdinarySession, promptFor } from './stories.ts';
import type { Actor, Story } from './stories.ts';
import type { World } from './world.ts';

/** What is to be seen of a story that was played in one world. */
export interface Evidence {
  readonly room: Room;
  readonly turns: readonly Turn[];
  /** Content by path in the work folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Headers and bodies as the client sent them. */
  readonly headers: readonly IncomingHttpHeaders[];
  readonly sent: readonly string[];
  /** The same as they reached the provider. */
  readonly received: readonly UpstreamRequest[];
  readonly nothingReasons: unknown;
}

/** A client with a home in one world, ready for stories. */
export interface Stage extends AsyncDisposable {
  play(story: Story): Promise<Evidence>;
}

/** Sets the client up in a world and, where there is a gateway, lets that learn from three ordinary sessions (RU2). */
export async function openStage(driver: ClientDriver, install: ClientInstall, world: World): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = await realpath(stack.use(await mkdtempDisposable(join(tmpdir(), 'qm-matrix-'))).path);
  const home = join(folder, 'home');
  await mkdir(home);
  const openRoom = async (name: string): Promise<Room> => {
    const workFolder = join(folder, name.replaceAll(' ', '-'));
    await mkdir(workFolder);
    const room: Room = { install, home, workFolder, baseUrl: world.recorder.url };
    await driver.setUp(room);
    return room;
  };

  await world.learn(async () => {
    for (const name of ['First', 'Second', 'Third']) {
      const actor = createActor(driver, await openRoom(name), { name, turns: [] });
      await playOrdinarySession(actor, name);
    }
  });
  const opened = stack.move();
  return {
    async play(story) {
      await using way = await world.openStory();
      const room = await openRoom(story.title);
      const [sentBefore, receivedBefore] = [world.recorder.bodies.length, world.upstream.requests().length];
      const turns: Turn[] = [];
      await story.play(createActor(driver, room, { name: story.title, turns }));
      return {
        room,
        turns,
        files: await readFiles(room.workFolder),
        headers: world.recorder.headers.slice(sentBefore),
        sent: world.recorder.bodies.slice(sentBefore),
        received: world.upstream.requests().slice(receivedBefore),
        nothingReasons: await way.nothingReasons(),
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function createActor(
  driver: ClientDriver,
  room: Room,
  { name, turns }: { readonly name: string; readonly turns: Turn[] },
): Actor {
  const keep = (turn: Turn): Turn => {
    turns.push(turn);
    return turn;
  };
  return {
    driver,
    async ask(steps, resume) {
      const prompt = promptFor(`${name} ${turns.length + 1}`, steps);
      return keep(await driver.ask(room, { prompt, ...(resume !== undefined && { resume }) }));
    },
    async compact(session) {
      if ('why' in driver.compact) throw new Error(driver.compact.why);
      keep(await driver.compact(room, session));
    },
  };
}

async function readFiles(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
  }
  return files;
}
