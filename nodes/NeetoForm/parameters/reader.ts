import type { IGetNodeParameterOptions, INode, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { isAgentTool } from '../api/errors';
import {
  isBlank,
  listOfTexts,
  refusal,
  requireBoolean,
  requireDate,
  requireEmail,
  requireEmails,
  requireNumber,
  requireOption,
  requireText,
  requireWholeNumber,
} from './values';

/**
 * Reads the values of fields: label, default, choices and limits stand in the field alone. Values are converted where their meaning is
 * clear; every method throws a UserError that names the field where it is not.
 */

/** Where values come from: the node's run for one input item, or a poll. */
export interface ParameterSource {
  getNode(): INode;
  getTimezone(): string;
  getNodeParameter(path: string, fallback?: unknown, options?: IGetNodeParameterOptions): unknown;
}

/** A field with choices. */
export type ChoiceField<T extends string> = Omit<INodeProperties, 'options'> & {
  options: Array<INodePropertyOptions & { value: T }>;
};

/**
 * What a blank value of an optional field means. An agent fills in every field, so a blank from an agent is always left out.
 * - `refuse expressions`: for what narrows or restrains, such as filters. A blank that was typed is left out; from an expression it
 *   would return everything
 * - `refuse`: for changes, because a blank would erase what is there
 */
export type WhenBlank = 'leave out' | 'refuse expressions' | 'refuse';

const INSTEAD: Record<WhenBlank, string> = {
  'leave out': '',
  'refuse expressions': 'Correct the expression, or remove the field to do without it.',
  refuse: 'Enter a value, or remove the field to keep what is there. Nothing was sent.',
};

/** Reads fields that always have a value: their default when they are not set. */
export class FieldReader {
  private readonly source: ParameterSource;
  private readonly collection?: string;

  /** @param collection the name of the collection that holds the fields */
  constructor(source: ParameterSource, collection?: string) {
    this.source = source;
    this.collection = collection;
  }

  /** Reads fields of a collection that have a default. */
  within(collection: string): FieldReader {
    return new FieldReader(this.source, collection);
  }

  /** Reads fields of a collection that may be left out. */
  optional(collection: string, whenBlank: WhenBlank = 'leave out'): OptionalFieldReader {
    return new OptionalFieldReader(this.source, collection, whenBlank);
  }

  text(field: INodeProperties): string {
    return requireText(field.displayName, this.value(field));
  }

  /** Email addresses, each once. */
  emails(field: INodeProperties): string[] {
    return requireEmails(field.displayName, this.value(field));
  }

  boolean(field: INodeProperties): boolean {
    return requireBoolean(field.displayName, this.value(field));
  }

  /** @param above the number must be more than this */
  number(field: INodeProperties, { above }: { above: number }): number {
    return requireNumber(field.displayName, this.value(field), above);
  }

  /** A whole number within the limits of the field. @param hint what to do about a number that is too high */
  wholeNumber(field: INodeProperties, hint = ''): number {
    const { minValue: min = 0, maxValue: max } = field.typeOptions ?? {};
    return requireWholeNumber(field.displayName, this.value(field), { min, max, hint });
  }

  option<T extends string>(field: ChoiceField<T>): T {
    return requireOption(field.displayName, this.value(field), valuesOf(field));
  }

  /** A list of texts, from a list or from text with commas. */
  texts(field: INodeProperties): string[] {
    return listOfTexts(field.displayName, this.value(field));
  }

  /** The value as it was given. */
  value(field: INodeProperties): unknown {
    const path = this.collection === undefined ? field.name : `${this.collection}.${field.name}`;
    const value = this.source.getNodeParameter(path, field.default);
    return isBlank(value) && isAgentTool(this.source.getNode()) ? field.default : value;
  }
}

/** Reads fields that may be left out: undefined then. */
class OptionalFieldReader {
  private readonly source: ParameterSource;
  private readonly collection: string;
  private readonly whenBlank: WhenBlank;

  constructor(source: ParameterSource, collection: string, whenBlank: WhenBlank) {
    this.source = source;
    this.collection = collection;
    this.whenBlank = whenBlank;
  }

  /** Without the blanks around it. */
  text(field: INodeProperties): string | undefined {
    return this.converted(field, (label, value) => requireText(label, value).trim());
  }

  email(field: INodeProperties): string | undefined {
    return this.converted(field, requireEmail);
  }

  boolean(field: INodeProperties): boolean | undefined {
    return this.converted(field, requireBoolean);
  }

  option<T extends string>(field: ChoiceField<T>): T | undefined {
    return this.converted(field, (label, value) => requireOption(label, value, valuesOf(field)));
  }

  /** ms since 1970. */
  date(field: INodeProperties): number | undefined {
    return this.converted(field, (label, value) => requireDate(label, value, this.source.getTimezone()));
  }

  /** A list of texts, which may hold commas; one without any text is blank. */
  texts(field: INodeProperties): string[] | undefined {
    const list = (label: string, value: unknown) => listOfTexts(label, value, 'whole');
    const isEmpty = (value: unknown) => list(field.displayName, value).every((text) => /^[,\s]*$/.test(text));
    return this.converted(field, list, (value) => isBlank(value) || isEmpty(value));
  }

  private converted<T>(
    { name, displayName }: INodeProperties,
    convert: (label: string, value: unknown) => T,
    isNothing = isBlank,
  ): T | undefined {
    const path = `${this.collection}.${name}`;
    const value = this.source.getNodeParameter(path, null);
    if (!isNothing(value)) return convert(displayName, value);
    if (isAgentTool(this.source.getNode())) return undefined;
    const entered: unknown = this.source.getNodeParameter(path, null, { rawExpressions: true });
    const isExpression = typeof entered === 'string' && entered.startsWith('=') && entered.slice(1).trim() !== '';
    const isRefused = isExpression ? this.whenBlank !== 'leave out' : this.whenBlank === 'refuse' && entered !== null;
    if (!isRefused) return undefined;
    throw refusal(
      `'${displayName}' is empty${isExpression ? ': its expression gives no value' : ''}`,
      INSTEAD[this.whenBlank],
    );
  }
}

function valuesOf<T extends string>({ options }: ChoiceField<T>): T[] {
  return options.map(({ value }) => value);
}
