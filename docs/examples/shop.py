"""Orders an animal once: docs/recipes.md."""
from store import STORE, session

def place(key, pet_id, cart_id):
    body = {"petId": pet_id, "reference": cart_id}
    response = session.post(f"{STORE}/store/orders", json=body, headers={"Idempotency-Key": key})
    if response.status_code == 409 and "pet_not_available" in response.text:
        return None
    response.raise_for_status()
    return response.json()["id"]
