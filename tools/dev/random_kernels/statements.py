"""What the kernels of random programs are made of: statements of one thread, and what threads do together."""


class Text:
    """Lines of one thread. @name is the thread's, `name the block's."""

    def __init__(self, number, text):
        self.number, self.text = number, text

    def lines(self, without):
        return [] if self.number in without else [self.text]


class Nest:
    """Parts of one thread with statements between them: `if (..) {`, `} else {`, `}`."""

    def __init__(self, number, heads, bodies):
        self.number, self.heads, self.bodies = number, heads, bodies

    def lines(self, without):
        if self.number in without:
            return []
        found = []
        for head, body in zip(self.heads, self.bodies + [[]]):
            found.append(head)
            for statement in body:
                found += ["    " + line for line in statement.lines(without)]
        return found


class Together:
    """What lanes of a warp do together: what it is on the device; what each gives and takes on the host."""

    def __init__(self, number, device, give, take):
        self.number, self.device, self.give, self.take = number, device, give, take


class Parting:
    """A condition or loop in which lanes do something together: the mask of those that are in it is known."""

    def __init__(self, number, kind, condition, bodies):
        self.number, self.kind, self.condition, self.bodies = number, kind, condition, bodies


class Barrier:
    def __init__(self, device, give=None, take=None):
        self.device, self.give, self.take = device, give, take


class Rounds:
    """A loop that all threads of a block go through alike, with barriers in it."""

    def __init__(self, number, count, body):
        self.number, self.count, self.body = number, count, body


class Leave:
    def __init__(self, number, condition):
        self.number, self.condition = number, condition


# ---- what statements are made of
