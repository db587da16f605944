"""Tags, symbols of languages: those of sources and those of targets.

A source begins with its tag. A target's is no symbol of it: the decoder begins with the tag
where it otherwise begins with ``</s>``, so that it is neither predicted nor counted::

    target          T a g </s>
    decoder reads   <de> T a g
"""

import torch

#: sides that a task may have; one that has not has no dictionary for it
SIDES = ("source", "target")


class LanguageTags:
    """For a task of one side or two: a checkpoint knows its tags.

    The task has ``source_langs``, ``target_langs`` where it has targets, and
    ``_dictionaries()``, pairs of a side and its dictionary.
    """

    _has_model = False

    def source_tag(self):
        """Long[1], the tag that begins a source; Long[0] for a model without tags.

        Raises:
            ValueError: there are tags, and several source languages.
        """
        return self._tag("source", "that of these lines")

    def target_tag(self):
        """Long[1], the tag that begins what the decoder reads, or Long[0]; as
        :meth:`source_tag`."""
        return self._tag("target", "one to translate into")

    @property
    def target_begin(self):
        """int: what the decoder begins with, ``</s>`` or the tag; as :meth:`target_tag`."""
        return (self.target_tag().tolist() or [self.target_dictionary.eos()])[0]

    def _tag(self, side, what):
        tags = getattr(self, f"{side}_dictionary").tags
        langs = getattr(self, f"{side}_langs")
        if tags and len(langs) > 1:
            raise ValueError(
                f"the model marks its {side} languages ({', '.join(langs)}): "
                f"choose {what} with --{side}-lang"
            )
        return torch.tensor([tags[lang] for lang in langs if tags]).long()

    def _require_tags(self):
        """Refuse to train several targets that nothing tells apart."""
        langs = getattr(self, "target_langs", ())
        if len(langs) > 1 and not self.target_dictionary.tags:
            raise ValueError(
                f"--target-lang {','.join(langs)} names several targets, and nothing tells "
                "the model which one to write: add --target-tag"
            )

    def _saved_tags(self):
        """dict: what a checkpoint keeps of them."""
        return {f"{side}_tags": list(d.tags) for side, d in self._dictionaries()}

    def _check_tags(self, state, sides=SIDES):
        for side, dictionary in self._dictionaries():
            tags, own = state.get(f"{side}_tags", []), list(dictionary.tags)
            if side in sides and tags != own:
                raise ValueError(
                    f"it was trained with {_tags(side, tags)}, and this training has "
                    f"{_tags(side, own)}: give the same --{side}-tag and --{side}-lang"
                )

    def _adopt_tags(self, state):
        for side, dictionary in self._dictionaries():
            self._adopt(side, dictionary, state.get(f"{side}_tags", []))

    def _adopt(self, side, dictionary, tags):
        own, langs = list(dictionary.tags), getattr(self, f"{side}_langs", ())
        if tags != own and self._has_model:
            raise ValueError(
                f"it was trained with {_tags(side, tags)}, and the model before it with "
                f"{_tags(side, own)}: they cannot be an ensemble"
            )
        if own and not tags:
            raise ValueError(f"it was trained without --{side}-tag: drop that flag")
        if side == "target" and len(langs) > 1 and not tags:
            raise ValueError(
                f"it was trained without --target-tag, for one target, and --target-lang "
                f"names {', '.join(langs)}: choose one"
            )
        unknown = sorted(set(langs) - set(tags)) if tags else []
        if unknown:
            raise ValueError(
                f"it was trained with {_tags(side, tags)}, and there is none for "
                f"{', '.join(unknown)}: choose one of these as --{side}-lang"
            )
        if tags != own:
            dictionary.set_tags(tags)


def _tags(side, tags):
    kind = "target tags" if side == "target" else "tags"
    return f"{kind} for {', '.join(tags)}" if tags else f"no {kind}"
