import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { withDefaults } from './defaults.ts';
import type { Member, MemberInput } from './types.ts';

/** The team members of a workspace, in the order in which they joined. */
export class MemberList {
  private readonly members: Member[] = [];
  private readonly clock: Clock;
  private readonly random: Random;

  constructor(clock: Clock, random: Random) {
    this.clock = clock;
    this.random = random;
  }

  /** Everybody, active or not, oldest first. */
  all(): Member[] {
    return [...this.members];
  }

  /** The active member with this id. */
  active(id: string): Member | undefined {
    return this.members.find((member) => member.id === id && member.active);
  }

  /** The member with this address, active or not; letter case does not count. */
  byEmail(email: string): Member | undefined {
    return this.members.find((member) => sameEmail(member.email, email));
  }

  /** Adds one member without any check. */
  add(input: MemberInput): Member {
    const now = this.clock.now();
    const defaults: Member = {
      id: this.random.uuid(),
      email: input.email,
      firstName: '',
      lastName: '',
      timeZone: 'UTC',
      organizationRole: 'Standard',
      active: true,
      createdAt: now,
      updatedAt: now,
    };
    const member = withDefaults(defaults, input);
    this.members.push(member);
    return member;
  }

  /** Changes one member without any check. */
  update(member: Member, change: Partial<Member>): void {
    Object.assign(member, change);
    member.updatedAt = this.clock.now();
  }

  /**
   * Whether nobody would be an active admin any more.
   * @param leaving those who would cease to be one
   */
  wouldLoseLastAdmin(leaving: Member[]): boolean {
    const isAdmin = (member: Member): boolean => member.active && member.organizationRole === 'Admin';
    return leaving.some(isAdmin) && !this.members.some((member) => isAdmin(member) && !leaving.includes(member));
  }
}

/** Whether two addresses are the same one. */
export function sameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
