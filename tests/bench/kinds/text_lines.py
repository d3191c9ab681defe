def parse_line(line):
    parts = line.split(",")
    return {"name": parts[0].strip().upper(), "amount": int(parts[1].strip()), "note": parts[2]}


def work(n):
    lines = []
    for i in range(n):
        lines.append(f" item{i} , {i * 3} ,some note {i % 4}")
    text = "\n".join(lines)
    total = 0
    out = []
    for line in text.split("\n"):
        r = parse_line(line)
        if "2" in r["note"] or r["name"].endswith("7"):
            continue
        total += r["amount"]
        out.append(f"{r['name'].ljust(10)}|{r['amount']}|{r['note'].replace('note', 'N')}")
    return str(total) + str(len(";".join(out)))
